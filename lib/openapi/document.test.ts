import { describe, expect, test } from "vitest";
import { z } from "zod";
import { breachRisk } from "#components/exceptions/deadline.ts";
import { pointerTo, validatorOf } from "#e2e/openapi-validator.ts";
import { needs } from "../wire/access.ts";
import { contract, mayReturnNoContent } from "../wire/contract.ts";
import { ERRORS } from "../wire/errors.ts";
import { EVENT_KINDS } from "../wire/event-kinds.ts";
import { openApiDocument } from "./document.ts";
import { CONTRACTS } from "./operations.ts";
import { errorCodesOf, isCacheable } from "./responses.ts";

type Media = { example?: unknown; examples?: Record<string, { value: unknown }> };
type Part = { content?: Record<string, Media> };
type Parameter = { name: string; schema: { example?: unknown } };
type Reference = { $ref: string };
type Operation = {
  operationId: string;
  parameters: (Parameter | Reference)[];
  requestBody?: Part;
  responses: Record<string, Part | Reference>;
};

const document = JSON.parse(JSON.stringify(openApiDocument()));
const faults = validatorOf(document);
const operations = Object.entries(
  document.paths as Record<string, Record<string, Operation>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    at: ["paths", path, method],
  })),
);

/** A part of the document and its path, with a reference resolved. */
function resolve<Value extends object>(
  value: Value | Reference,
  at: string[],
): { value: Value; at: string[] } {
  if (!("$ref" in value)) return { value, at };
  const target = value.$ref.split("/").slice(1);
  return { value: target.reduce((part, key) => part[key], document), at: target };
}

describe("OpenAPI", () => {
  test("describes every contract once", () => {
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      CONTRACTS.map(({ operationId }) => operationId).sort(),
    );
  });

  test.each(operations)(
    "$operationId shows a valid example of each request and response",
    ({ requestBody, responses, at }) => {
      const parts = [
        ...(requestBody ? [{ value: requestBody, at: [...at, "requestBody"] }] : []),
        ...Object.entries(responses).map(([status, answer]) =>
          resolve(answer, [...at, "responses", status]),
        ),
      ];
      for (const part of parts) {
        for (const [mediaType, { example, examples }] of Object.entries(part.value.content ?? {})) {
          const schema = pointerTo(...part.at, "content", mediaType, "schema");
          const shown = examples ? Object.values(examples).map(({ value }) => value) : [example];
          for (const one of shown) expect(faults(schema, one), schema).toEqual([]);
        }
      }
    },
  );

  test.each(operations)(
    "$operationId shows a valid example of each parameter",
    ({ parameters, at }) => {
      for (const [index, given] of parameters.entries()) {
        const parameter = resolve(given, [...at, "parameters", `${index}`]);
        expect(
          faults(pointerTo(...parameter.at, "schema"), parameter.value.schema.example),
          parameter.value.name,
        ).toEqual([]);
      }
    },
  );

  test.each(CONTRACTS)("$operationId documents every status it can return", (declared) => {
    const operation = operations.find(({ operationId }) => operationId === declared.operationId);
    const statuses = new Set([
      declared.status,
      ...(declared.preview ? [200] : []),
      ...(mayReturnNoContent(declared) ? [204] : []),
      ...(isCacheable(declared) ? [304] : []),
      ...errorCodesOf(declared).map((code) => ERRORS[code].status),
    ]);
    expect(Object.keys(operation?.responses ?? {}).sort()).toEqual(
      [...statuses].map(String).sort(),
    );
  });

  test.each(EVENT_KINDS.filter((kind) => kind.startsWith("exception.")))(
    "the example of %s shows the exception at that moment",
    (kind) => {
      const { timestamp, data } =
        document.webhooks[kind].post.requestBody.content["application/json"].example;
      const { exception } = data;
      const minutes = Math.ceil((Date.parse(exception.due_at) - Date.parse(timestamp)) / 60_000);
      const isOpen = kind !== "exception.resolved";
      expect(exception.status === "resolved").toBe(!isOpen);
      expect(exception.minutes_to_breach).toBe(isOpen ? minutes : null);
      const risk = exception.paused_at ? "low" : breachRisk(minutes);
      expect(exception.breach_risk).toBe(isOpen ? risk : null);
      expect(data.due_at ?? exception.due_at).toBe(exception.due_at);
      expect(data.changes?.status?.to ?? exception.status).toBe(exception.status);
      if (data.threshold_minutes) expect(minutes).toBe(data.threshold_minutes);
    },
  );

  test.each(EVENT_KINDS)("shows a valid example of %s", (kind) => {
    const { requestBody } = document.webhooks[kind].post;
    const at = ["webhooks", kind, "post", "requestBody", "content", "application/json"];
    const { example } = requestBody.content["application/json"];
    expect(example.type).toBe(kind);
    expect(faults(pointerTo(...at, "schema"), example)).toEqual([]);
  });

  test("rejects a schema without an example by name", () => {
    const bare = contract({
      operationId: "getLabel",
      method: "GET",
      path: "/v1/label",
      tag: "Label",
      summary: "Get the label",
      access: needs("read:me"),
      response: z.object({ label: z.string() }),
    });
    expect(() => openApiDocument([bare])).toThrow("getLabel.label has no example");
  });
});
