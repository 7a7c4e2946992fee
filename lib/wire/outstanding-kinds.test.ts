import { expect, test } from "vitest";
import type { Statement } from "../matching/periods/contract.ts";
import { agingByKind, outstandingName } from "./outstanding-kinds.ts";

const aged = {
  currency: "EUR",
  side: "right",
  days_from: 8,
  line_count: 3,
  open_minor: 100,
  receipt_count: 1,
  receipt_minor: 900,
  payment_count: 2,
  payment_minor: -800,
} as Statement["aging"][number];
const { receipt_count, receipt_minor, payment_count, payment_minor, ...before } = aged;
const sides = {
  left_source: "Bank",
  right_source: "Ledger",
  left_kind: "bank_statement",
  right_kind: "ledger",
} as const;

test("outstanding amounts are listed by kind, receipts first, without empty ages", () => {
  const only = { ...aged, days_from: 31, payment_count: 0, payment_minor: 0 };
  expect(
    agingByKind({ aging: [aged, only] })?.map(({ kind, days_from, line_count, open_minor }) => [
      kind,
      days_from,
      line_count,
      open_minor,
    ]),
  ).toEqual([
    ["receipt", 8, 1, 900],
    ["receipt", 31, 1, 900],
    ["payment", 8, 2, -800],
  ]);
});

test("a statement that closed before kinds were stated has no kinds", () => {
  expect(agingByKind({ aging: [before] })).toBeNull();
  expect(agingByKind({ aging: [] })).toEqual([]);
});

test("a ledger's open lines against a bank have the names that accountants use", () => {
  expect(outstandingName("receipt", "right", sides)).toBe("Deposits in transit");
  expect(outstandingName("payment", "right", sides)).toBe("Outstanding payments");
  expect(outstandingName("receipt", "left", sides)).toBe("Receipts not in Ledger");
  expect(outstandingName("payment", "left", { ...sides, left_kind: "processor" })).toBe(
    "Payments not in Ledger",
  );
  expect(outstandingName("payment", "right", { ...sides, left_kind: undefined })).toBe(
    "Payments not in Bank",
  );
});
