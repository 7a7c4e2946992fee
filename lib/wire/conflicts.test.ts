import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CONFLICT_REASONS } from "./conflicts.ts";

const SCHEMAS = new URL("../../supabase/schemas/", import.meta.url);
const sql = readdirSync(SCHEMAS, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".sql"))
  .map((name) => readFileSync(new URL(name, SCHEMAS), "utf8"))
  .join("\n");

/** The reasons that a call names: a literal, or the choices of a case. */
const reasons = [...sql.matchAll(/refuse_conflict\(\s*(case .*? end|'\w+'),/g)].flatMap(
  ([, argument]) =>
    argument?.startsWith("case")
      ? [...argument.matchAll(/(?:then|else) '(\w+)'/g)].map(([, reason]) => reason)
      : [argument?.replaceAll("'", "")],
);

test("the database refuses conflicts only with reasons of the closed list", () => {
  const calls = sql.match(/perform private\.refuse_conflict\(/g) ?? [];
  expect(calls.length).toBeGreaterThan(60);
  expect(reasons.length).toBeGreaterThanOrEqual(calls.length);
  expect(
    reasons.filter((reason) => !CONFLICT_REASONS.some((candidate) => candidate === reason)),
  ).toEqual([]);
  expect(sql).not.toContain("private.refuse('conflict'");
});

test("each reason of the closed list is used somewhere", () => {
  const ofTheApi = ["sign_in_required", "managed_elsewhere", "unsuitable_entry"];
  expect(CONFLICT_REASONS.filter((reason) => ![...reasons, ...ofTheApi].includes(reason))).toEqual(
    [],
  );
});
