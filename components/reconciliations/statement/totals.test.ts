import { expect, test } from "vitest";
import type { Statement } from "#lib/matching/periods/contract.ts";
import { excludedTotals, explainedTotals } from "./totals.ts";

const item = (
  side: "left" | "right",
  excluded: number,
  adjustments: number,
  residual: number | string,
) => ({
  currency: "EUR",
  side,
  lines: 0,
  matched: 0,
  excluded,
  open: 0,
  adjustments,
  residual,
  holds: true,
});
const balance = (side: "left" | "right", excluded_minor: number) => ({
  currency: "EUR",
  side,
  opening_minor: 0,
  lines_minor: 0,
  line_count: 0,
  closing_minor: 0,
  outstanding_minor: 0,
  excluded_minor,
});

test("a period's items and earlier ones add up to the statement's sums", () => {
  const statement: Pick<Statement, "balances" | "differences" | "proof"> = {
    balances: [balance("left", -1490), balance("right", 0)],
    // This period's part of the adjustments is −250.
    differences: [
      {
        currency: "EUR",
        adjustments_minor: -400,
        residual_minor: "9007199254740993",
        difference_minor: 0,
      },
    ],
    proof: {
      items: [item("left", -1490, 0, "9007199254740993"), item("right", 0, 250, 0)],
      holds: true,
    },
  };
  expect(excludedTotals(statement)).toEqual([
    { currency: "EUR", side: "left", period: "-1490", earlier: "0" },
  ]);
  expect(explainedTotals(statement, "adjustments")).toEqual([
    { currency: "EUR", side: null, period: "-250", earlier: "-150" },
  ]);
  expect(explainedTotals(statement, "residual")).toEqual([
    { currency: "EUR", side: null, period: "9007199254740993", earlier: "0" },
  ]);
});
