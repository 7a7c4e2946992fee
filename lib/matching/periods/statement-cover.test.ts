import { expect, test } from "vitest";
import type { PeriodSignature } from "../../reconciliations/contract.ts";
import type { Statement } from "./contract.ts";
import { statementCover } from "./statement-cover.ts";

const statement = {
  name: "Debtors, November",
  period_start: "2026-11-01",
  period_end: "2026-11-30",
  left_source: "Bank",
  right_source: "Ledger",
  as_of: "2026-12-01T10:00:00.000Z",
  closed_at: null,
  closed_by: null,
  proof: { items: [{ currency: "USD" }, { currency: "EUR" }, { currency: "EUR" }], holds: true },
} as unknown as Statement;

test("the title sheet names the sources, the period, its state and who signed it", () => {
  const closed = { ...statement, closed_at: "2026-12-03T14:02:00.000Z", closed_by: "user:leo" };
  const signatures = [
    { kind: "prepared", signed_by: "user:lea", signed_at: "2026-12-02T09:00:00.000Z" },
    { kind: "reviewed", signed_by: "user:max", signed_at: "2026-12-02T10:00:00.000Z" },
  ] as PeriodSignature[];
  expect(statementCover(closed, signatures)).toEqual({
    name: "Statement",
    title: "Reconciliation statement",
    facts: [
      ["Reconciliation", "Debtors, November"],
      ["Period", "1–30 Nov 2026"],
      ["Left source", "Bank"],
      ["Right source", "Ledger"],
      ["Currencies", "EUR, USD"],
      ["Status", "Closed 2026-12-03 14:02 UTC"],
      ["Prepared by", "lea, 2026-12-02 09:00 UTC"],
      ["Reviewed by", "max, 2026-12-02 10:00 UTC"],
      ["Closed by", "leo, 2026-12-03 14:02 UTC"],
      ["Proof", "Holds to the cent"],
      ["Signs", "Amounts without a source are Bank less Ledger."],
    ],
    sides: { left: "Bank", right: "Ledger" },
  });
});

test("an open period is marked as such, and two sources of one name can be distinguished", () => {
  const { facts, sides } = statementCover({ ...statement, right_source: "Bank" }, []);
  expect(facts).toContainEqual(["Status", "Not closed, as of 2026-12-01 10:00 UTC"]);
  expect(facts.map(([name]) => name)).not.toContain("Closed by");
  expect(sides).toEqual({ left: "Bank (left)", right: "Bank (right)" });
});
