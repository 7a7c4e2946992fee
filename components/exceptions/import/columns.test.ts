import { expect, test } from "vitest";
import { createExceptionContract } from "#lib/exceptions/contract.ts";
import { COLUMNS, ndjsonTemplate } from "./columns.ts";

const row = createExceptionContract.body as NonNullable<typeof createExceptionContract.body>;

test("the columns are those that the contract has, and what it requires is said to be required", () => {
  expect(COLUMNS.map(({ name }) => name).sort()).toEqual(Object.keys(row.shape).sort());
  for (const { name, required } of COLUMNS) {
    expect(row.shape[name].safeParse(undefined).success, name).toBe(!required);
  }
});

test("the template in NDJSON is one that can be imported", () => {
  expect(row.safeParse(JSON.parse(ndjsonTemplate())).error).toBeUndefined();
});
