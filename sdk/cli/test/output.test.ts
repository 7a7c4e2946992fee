import { expect, test } from "vitest";
import { facts } from "../src/output.ts";

const PAIRS: [string, string | number | null][] = [
  ["Works", "api_key Nightly in acme"],
  ["ID", "key_019a9f4be2c04d6f8a1b3c5d7e9f0a2b"],
  ["Scopes", "read:exceptions read:lines read:reconciliations write:exceptions"],
  ["Rejected", 2],
  ["Amount", null],
];

test("in 40 columns, long values wrap, and an ID goes unbroken below its name", () => {
  const lines = facts(PAIRS, 40).split("\n");
  expect(lines).toEqual([
    "Works     api_key Nightly in acme",
    "ID",
    "  key_019a9f4be2c04d6f8a1b3c5d7e9f0a2b",
    "Scopes    read:exceptions read:lines",
    "          read:reconciliations",
    "          write:exceptions",
    "Rejected  2",
    "Amount    none",
  ]);
});

test("without a terminal, each fact is one line", () => {
  expect(facts(PAIRS, Number.POSITIVE_INFINITY).split("\n")).toHaveLength(PAIRS.length);
});
