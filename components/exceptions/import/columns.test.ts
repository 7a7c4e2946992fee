import { expect, test } from "vitest";
import { createExceptionContract } from "#lib/exceptions/contract.ts";
import { COLUMNS, ndjsonTemplate } from "./columns.ts";

const row = createExceptionContract.body as NonNullable<typeof createExceptionContract.body>;

test("says what each column takes, and marks the required ones", () => {
  for (const { name, what } of COLUMNS) expect(what, name).toMatch(/[a-z]{2}.*\.$/);
  expect(COLUMNS.flatMap(({ name, required }) => (required ? [name] : []))).toEqual([
    "title",
    "severity",
  ]);
});

test("the NDJSON template can be imported", () => {
  expect(row.safeParse(JSON.parse(ndjsonTemplate())).error).toBeUndefined();
});
