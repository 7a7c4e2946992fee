import { expect, test } from "vitest";
import { createExceptionContract } from "../exceptions/contract.ts";
import { CONTRACTS } from "../openapi/operations.ts";
import { readIdempotency } from "./idempotency.ts";

type Sent = { body?: Record<string, unknown>; header?: string };

function read({ body = {}, header }: Sent) {
  const headers =
    header === undefined
      ? new Headers()
      : new Headers({ "Idempotency-Key": Buffer.from(header).toString("latin1") });
  return readIdempotency(createExceptionContract, { headers } as Request, {}, body);
}

test("reads an idempotency key for every POST", () => {
  expect(
    CONTRACTS.filter(({ method, idempotency }) => method === "POST" && idempotency === null),
  ).toEqual([]);
});

test("reads the same key from header and body and leaves it out of the fingerprint", () => {
  const same: Sent[] = [
    { body: { idempotency_key: "k 1" } },
    { body: { idempotencyKey: "k 1" } },
    { header: "k 1" },
    { header: '"k 1"' },
    { body: { idempotency_key: "k 1", idempotencyKey: "k 1" }, header: '"k 1"' },
  ];
  const records = same.map((sent) => read({ ...sent, body: { title: "A", ...sent.body } }));
  expect(new Set(records.map(({ record }) => JSON.stringify(record))).size).toBe(1);
  expect(records.map(({ rest }) => rest)).toEqual(same.map(() => ({ title: "A" })));
});

test("unescapes a quoted header and keeps quotes in a body or on one side", () => {
  expect(read({ header: '"a\\"b\\\\c"' }).record?.key).toBe('a"b\\c');
  expect(read({ body: { idempotency_key: '"k"' } }).record?.key).toBe('"k"');
  for (const header of ['"k', 'k"', '"a"b"', '"a\\b"'])
    expect(read({ header }).record?.key).toBe(header);
});

test("reads a UTF-8 header as the same key as in a body", () => {
  expect(read({ header: "zürich-🔑" }).record).toEqual(
    read({ body: { idempotency_key: "zürich-🔑" } }).record,
  );
});

test.each([
  { body: { idempotency_key: "a", idempotencyKey: "b" } },
  { body: { idempotency_key: "a" }, header: "b" },
  { body: { idempotencyKey: "a" }, header: '"A"' },
  { body: { idempotency_key: "" } },
  { body: { idempotency_key: 1 } },
  { body: { idempotency_key: "x".repeat(256) } },
  { header: "x".repeat(256) },
  { header: '""' },
])("rejects the key %j", (sent) => {
  expect(() => read(sent)).toThrow("The request is invalid");
});
