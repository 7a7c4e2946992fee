import { describe, expect, test } from "vitest";
import { describeLimits, describeType, valuesOf } from "./describe-type.ts";
import type { Schema } from "./schema.ts";

const DEFINITIONS = { Webhook: { type: "object" }, __schema0: { type: "string" } } satisfies Record<
  string,
  Schema
>;

describe("the type in words", () => {
  test.each<[Schema, string]>([
    [{ type: "string" }, "string"],
    [{ type: ["string", "null"] }, "string or null"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string or null"],
    [{ type: "string", format: "date-time" }, "timestamp"],
    [{ type: "array", items: { $ref: "#/components/schemas/Webhook" } }, "array of Webhook"],
    [{ $ref: "#/components/schemas/__schema0" }, "any JSON"],
    [{ type: "object", additionalProperties: {} }, "object"],
    [{ type: "object", additionalProperties: { type: "integer" } }, "map of integer"],
    [{ const: true }, "true"],
    [{}, "any JSON"],
  ])("%j: %s", (schema, words) => {
    expect(describeType(schema, DEFINITIONS)).toBe(words);
  });
});

describe("the limits in words", () => {
  test.each<[Schema, string[]]>([
    [{ type: "string", minLength: 1, maxLength: 200 }, ["1 to 200 characters"]],
    [{ type: "string", maxLength: 1000 }, ["at most 1,000 characters"]],
    [{ type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, ["at least 0"]],
    [{ type: "integer", minimum: 1, maximum: 250, default: 50 }, ["1 to 250", "default 50"]],
    [{ type: "array", minItems: 7, maxItems: 7 }, ["exactly 7 items"]],
    [{ type: "string", pattern: "^exc_[0-9a-z]{20,40}$" }, ["exc_…"]],
    [{ type: "string", pattern: "^[A-Z]{3}$" }, ["matches ^[A-Z]{3}$"]],
    [{ type: "string", format: "date-time", pattern: "Z$" }, []],
    [{ anyOf: [{ type: "string", minLength: 2 }, { type: "null" }] }, ["at least 2 characters"]],
  ])("%j: %j", (schema, phrases) => {
    expect(describeLimits(schema, DEFINITIONS)).toEqual(phrases);
  });

  test("include the values of a list's items", () => {
    expect(valuesOf({ type: "array", items: { enum: ["a", "b"] } }, DEFINITIONS)).toEqual([
      "a",
      "b",
    ]);
  });
});
