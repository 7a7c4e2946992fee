import { describe, expect, test } from "vitest";
import { match, type Result } from "../engine.ts";
import { explain } from "../explain.ts";
import { checkInvariants } from "../invariants.ts";
import { type Line, Lines } from "../lines.ts";
import type { Rule } from "../rules.ts";

const RULES: Rule[] = [
  { name: "Same amount", kind: "score", days_before: 4, days_after: 12, then: "match" },
];

function columns(side: "left" | "right", given: readonly Partial<Line>[]): Lines {
  const lines = new Lines(side, given.length);
  for (const [handle, line] of given.entries())
    lines.add({
      handle,
      identity: String(handle),
      amount_minor: 0,
      currency: "EUR",
      value_date: 20_000,
      ...line,
    });
  return lines;
}

/**
 * Matches numbered invoices that are paid two days later. The last ones have these lags. With a
 * fee, the first one is paid six days before, less the fee.
 */
function solve(lags: readonly number[], rules = RULES, count = 60, fee = 0): Result {
  const left = Array.from({ length: count }, (_, at) => ({
    amount_minor: 100_003 + 7919 * at,
    value_date: 20_000 + (at % 30),
    reference: `INV-${50_021 + 37 * at}`,
  }));
  const right = left.map((line, at) => ({
    amount_minor: line.amount_minor - (at === 0 ? fee : 0),
    value_date:
      line.value_date + (at === 0 && fee > 0 ? -6 : (lags[at - (count - lags.length)] ?? 2)),
    description: `PAYMENT ${line.reference}`,
  }));
  const result = match({ left: columns("left", left), right: columns("right", right), rules });
  expect(checkInvariants(result)).toEqual([]);
  return result;
}

describe("a window", () => {
  test("follows several sure matches beyond it, and the explanation says so", () => {
    const result = solve([-6, -6, -6]);
    expect(result.confirmed.length).toBe(60);
    const notes = Array.from({ length: 60 }, (_, at) => explain(result, "confirmed", at).note);
    expect(
      notes.filter((note) => note?.startsWith("The days lie farther apart than the rule says")),
    ).toHaveLength(3);
  });

  test("does not follow a single one", () => {
    expect(solve([-6]).confirmed.length).toBe(59);
  });

  test("does not follow farther than twice the rule's days, nor than a month", () => {
    expect(solve([-9, -9, -9]).confirmed.length).toBe(57);
    const wide = RULES.map((rule) => ({ ...rule, days_after: 20 }));
    expect(solve([31, 31, 31], wide).confirmed.length).toBe(60);
    expect(solve([32, 32, 32], wide).confirmed.length).toBe(57);
  });

  test("does not follow where too few matches are sure", () => {
    expect(solve([-6, -6, -6], RULES, 20).confirmed.length).toBe(17);
  });

  test("of one day stays one day", () => {
    const days = RULES.map((rule) => ({ ...rule, days_before: 0 }));
    expect(solve([-1, -1, -1], days).confirmed.length).toBe(57);
  });

  test("of a later rule is as wide for lines that an earlier one saw", () => {
    const fees: Rule = {
      ...(RULES[0] as Rule),
      name: "Fees",
      amount_tolerance_minor: 2500,
      days_before: 3,
    };
    const foundWith = (lags: readonly number[]) => {
      const { confirmed, suggested } = solve(lags, [...RULES, fees], 60, 400);
      return confirmed.length + suggested.length;
    };
    expect(foundWith([-6, -6, -6])).toBe(60);
    expect(foundWith([])).toBe(59);
  });
});

test("a window that the user gave an exact rule stays as it is", () => {
  const exact: Rule = {
    name: "Same amount",
    kind: "exact",
    on: ["reference"],
    days_before: 4,
    days_after: 12,
    then: "match",
  };
  const left = columns(
    "left",
    Array.from({ length: 40 }, (_, at) => ({ amount_minor: 1003 + 79 * at, reference: `A${at}` })),
  );
  const right = columns(
    "right",
    Array.from({ length: 40 }, (_, at) => ({
      amount_minor: 1003 + 79 * at,
      reference: `A${at}`,
      value_date: at < 3 ? 19_994 : 20_000,
    })),
  );
  expect(match({ left, right, rules: [exact] }).confirmed.length).toBe(37);
});
