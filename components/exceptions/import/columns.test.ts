import { expect, test } from "vitest";
import { createExceptionContract } from "#lib/exceptions/contract.ts";
import { COLUMNS, ndjsonTemplate } from "./columns.ts";

const row = createExceptionContract.body as NonNullable<typeof createExceptionContract.body>;

test("lists the contract's columns and marks required ones", () => {
  expect(COLUMNS.map(({ name }) => name).sort()).toEqual(Object.keys(row.shape).sort());
  for (const { name, required } of COLUMNS) {
    expect(row.shape[name].safeParse(undefined).success, name).toBe(!required);
  }
});

test("the NDJSON template can be imported", () => {
  expect(row.safeParse(JSON.parse(ndjsonTemplate())).error).toBeUndefined();
});
