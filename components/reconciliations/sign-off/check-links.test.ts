import { expect, test } from "vitest";
import { breakTexts, checkLinks } from "./check-links.ts";

const PERIOD = { id: "rcn_1", left_source_id: "src_bank", right_source_id: "src_ledger" };
const complete = { until: "2026-10-31", missing_days: 0, has_balance: true, breaks: [] };
const bank = { ...complete, side: "left" as const, name: "Bank" };
const ledger = { ...complete, side: "right" as const, name: "Ledger" };
const gap = { kind: "gap" as const, from: "2026-10-10", to: "2026-10-20", minor: -2000 };
const overlap = { kind: "overlap" as const, from: "2026-10-12", to: "2026-10-14", minor: 0 };

test("a missing file or balance links to the source that lacks it", () => {
  const late = { ...ledger, missing_days: 2, has_balance: false };
  expect(checkLinks("acme", PERIOD, "files", [bank, late])).toEqual([
    { href: "/acme/sources/src_ledger/import", label: "Import a file of Ledger" },
  ]);
  expect(checkLinks("acme", PERIOD, "balances", [bank, late])).toEqual([
    { href: "/acme/sources/src_ledger", label: "State a balance of Ledger" },
  ]);
});

test("both sides are linked if both are behind", () => {
  const sources = [bank, ledger].map((source) => ({ ...source, missing_days: 1 }));
  expect(checkLinks("acme", PERIOD, "files", sources).map(({ label }) => label)).toEqual([
    "Import a file of Bank",
    "Import a file of Ledger",
  ]);
});

test("describes a gap and an overlap of statements by their days and their amount", () => {
  const sources = [
    { ...bank, breaks: [gap] },
    { ...ledger, breaks: [overlap] },
  ];
  expect(breakTexts(sources, { left: "EUR" })).toEqual([
    "Bank: a statement is missing between 10 Oct and 20 Oct, -€20.00",
    "Ledger: statements overlap between 12 Oct and 14 Oct",
  ]);
  expect(checkLinks("acme", PERIOD, "balances", sources)).toEqual([
    { href: "/acme/sources/src_bank", label: "View the balances of Bank" },
    { href: "/acme/sources/src_ledger", label: "View the balances of Ledger" },
  ]);
});

test.each([
  ["suggestions", "/acme/reconciliations/rcn_1/workbench"],
  ["exceptions", "/acme/exceptions?reconciliation_id=rcn_1"],
  ["difference", "/acme/reconciliations/rcn_1/statement"],
  ["evidence", "/acme/reconciliations/rcn_1/matches?missing_evidence=true"],
  ["second_person", "/acme/reconciliations/rcn_1/matches?state=confirmed"],
] as const)("the check %s links to its rows", (check, href) => {
  expect(checkLinks("acme", PERIOD, check, [bank, ledger]).map((link) => link.href)).toEqual([
    href,
  ]);
});
