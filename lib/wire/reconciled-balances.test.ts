import { expect, test } from "vitest";
import type { Statement } from "../matching/periods/contract.ts";
import { reconciledBalances } from "./reconciled-balances.ts";

const balance = (side: "left" | "right", fields: object) =>
  ({
    currency: "EUR",
    side,
    opening_minor: 0,
    lines_minor: 1_000,
    line_count: 1,
    closing_minor: 1_000,
    outstanding_minor: 200,
    excluded_minor: 0,
    stated_closing_minor: 51_000,
    stated_on: "2026-10-31",
    timing_minor: 0,
    ...fields,
  }) as Statement["balances"][number];

const sums = (side: "left" | "right", fields: object) =>
  ({
    currency: "EUR",
    side,
    lines: 1_300,
    matched: 1_100,
    excluded: 0,
    open: 200,
    adjustments: 0,
    residual: 0,
    holds: true,
    ...fields,
  }) as Statement["proof"]["items"][number];

const statement = (
  left: object,
  right: object,
  difference: object,
): Pick<Statement, "balances" | "differences" | "proof" | "aging"> => ({
  aging: [],
  balances: [balance("left", left), balance("right", right)],
  differences: [
    {
      currency: "EUR",
      adjustments_minor: 0,
      residual_minor: 0,
      difference_minor: 0,
      unexplained_minor: 0,
      ...difference,
    },
  ],
  proof: { holds: true, items: [sums("left", {}), sums("right", {})] },
});

test("adjusted balances differ by explained and unexplained amounts", () => {
  const [euro] = reconciledBalances(
    statement(
      { timing_minor: 300 },
      { stated_closing_minor: 50_650, outstanding_minor: 150 },
      { adjustments_minor: -5, unexplained_minor: 5 },
    ),
  );
  expect(euro).toMatchObject({
    left: { closing: 51_000n, timing: 300n, outstanding: 200n, adjusted: 50_500n },
    right: { closing: 50_650n, adjusted: 50_500n },
    explained: [{ name: "Adjustments", minor: -5n }],
    unexplained: 5n,
  });
  if (!euro) throw new Error("There is no balance.");
  const explained = euro.explained.reduce((sum, { minor }) => sum + minor, 0n);
  expect(euro.left.adjusted - euro.right.adjusted - explained).toBe(euro.unexplained);
});

test("without both balances, the sums of the lines are compared", () => {
  const [euro] = reconciledBalances(
    statement({ timing_minor: 300 }, { stated_closing_minor: null }, { unexplained_minor: null }),
  );
  expect(euro).toMatchObject({
    left: { closing: 1_000n, timing: 0n, isStated: false },
    right: { closing: 1_000n, isStated: false },
    unexplained: 0n,
  });
});

test("opening balance plus new lines less settled ones is the closing balance", () => {
  const [euro] = reconciledBalances(statement({}, {}, {}));
  for (const side of [euro?.left, euro?.right]) {
    if (!side) throw new Error("A side is missing.");
    const { broughtForward, added, matched, newlyExcluded, open } = side;
    expect(broughtForward + added - matched - newlyExcluded).toBe(open);
    expect(broughtForward).toBe(300n);
  }
});

test("outstanding amounts add up by kind over all ages, or are unknown in older statements", () => {
  const aged = (side: "left" | "right", days_from: number, minor: number) => ({
    currency: "EUR",
    side,
    days_from,
    line_count: 2,
    open_minor: minor - 50,
    receipt_count: 1,
    receipt_minor: minor,
    payment_count: 1,
    payment_minor: -50,
  });
  const aging = [aged("left", 0, 200), aged("left", 31, 100), aged("right", 0, 7)];
  const [euro] = reconciledBalances({ ...statement({}, {}, {}), aging });
  expect(euro?.left.outstandingByKind).toEqual({ receipt: 300n, payment: -100n });
  expect(euro?.right.outstandingByKind).toEqual({ receipt: 7n, payment: -50n });
  const before = aging.map(({ receipt_count: _, ...item }) => item);
  const [older] = reconciledBalances({ ...statement({}, {}, {}), aging: before });
  expect(older?.left.outstandingByKind).toBeNull();
});
