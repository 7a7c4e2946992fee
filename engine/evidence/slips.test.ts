import { describe, expect, test } from "vitest";
import { proposeLoneAmounts } from "../assignment/lone-amounts.ts";
import { Pool } from "../candidates/pool.ts";
import { match, type Result } from "../engine.ts";
import { explain } from "../explain.ts";
import { checkInvariants } from "../invariants.ts";
import { type Line, Lines } from "../lines.ts";
import { Nodes } from "../prepare/nodes.ts";
import { RunState } from "../prepare/run-state.ts";
import { DEFAULT_RULES, type Rule } from "../rules.ts";
import { amountLevel, EQUAL, isSlip, SWAPPED, WRONG_DIGIT } from "./levels.ts";

type Given = Partial<Line>;

const NAMES = [
  "Adler Print",
  "Becker Roofing",
  "Cork Foods",
  "Dupont Wines",
  "Eriksson Steel",
  "Fulda Optics",
  "Ghent Media",
  "Hofmann Cycles",
];

/** Wires that arrive a day later. Every fourth is less by 25.00, or by what `less` returns. */
function wires(
  count: number,
  less = (_at: number, _amount: number) => 2500,
): { left: Given[]; right: Given[] } {
  const left = Array.from({ length: count }, (_, at): Given => {
    const amount = 100_000 + 7919 * at + (at % 97);
    return {
      amount_minor: amount,
      value_date: 20_000 + at,
      reference: `INV-${50_000 + 37 * at}`,
      counterparty: NAMES[at % NAMES.length] as string,
    };
  });
  const right = left.map(
    (line, at): Given => ({
      amount_minor:
        (line.amount_minor as number) - (at % 4 === 0 ? less(at, line.amount_minor as number) : 0),
      value_date: (line.value_date as number) + 1,
      description: `WIRE IN ${(line.counterparty as string).toUpperCase()} ${50_000 + 37 * at}`,
    }),
  );
  return { left, right };
}

function columns(side: "left" | "right", given: readonly Given[]): Lines {
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

function solve(left: readonly Given[], right: readonly Given[]): Result {
  const result = match({
    left: columns("left", left),
    right: columns("right", right),
    rules: DEFAULT_RULES,
  });
  expect(checkInvariants(result)).toEqual([]);
  return result;
}

/**
 * The explanation of the match of these two lines, and its state; null if they are not matched.
 */
function found(result: Result, l: number, r: number) {
  for (const state of ["confirmed", "suggested"] as const) {
    for (let at = 0; at < result[state].length; at++) {
      const [left, right] = [result[state].left(at), result[state].right(at)];
      if (left.length === 1 && left[0] === l && right.length === 1 && right[0] === r)
        return { state, ...explain(result, state, at) };
    }
  }
  return null;
}

describe("the level of two amounts", () => {
  test.each([
    [12_345, 12_354, SWAPPED],
    [12_345, 21_345, SWAPPED],
    [-12_345, -12_435, SWAPPED],
    [12_345, 12_745, WRONG_DIGIT],
    [12_345, 92_345, WRONG_DIGIT],
    [12_345, 12_345, EQUAL],
  ])("of %d and %d says which slip it is", (left, right, level) => {
    expect(amountLevel(left, right)).toBe(level);
    expect(amountLevel(right, left)).toBe(level);
  });

  test.each([
    [12_345, 12_346],
    [12_345, 14_325],
    [12_345, 2345],
    [500, 9500],
    [100_000, 97_500],
  ])("of %d and %d is none of a slip", (left, right) => {
    expect(isSlip(amountLevel(left, right))).toBe(false);
  });
});

describe("slips together", () => {
  test("a fee that others have, swapped digits and a cut name are proposed, each said", () => {
    const { left, right } = wires(60);
    left.push({
      amount_minor: 345_678,
      value_date: 20_030,
      reference: "INV-71294",
      counterparty: "Zimmermann Textiles",
    });
    right.push({ amount_minor: 343_178, value_date: 20_031, description: "WIRE IN ZIMMERM 71924" });
    const explained = found(solve(left, right), 60, 60);
    expect(explained?.note).toMatch(/A difference of 25\.00, as 1[0-9] others\./);
    expect(explained?.note).toContain("“71294” and “71924”: two digits swapped.");
  });

  test("fees of several sizes are said with their range, and a usual share with its rate", () => {
    const fees = wires(80, (at) => (at % 8 === 0 ? 2500 : 4500));
    expect(found(solve(fees.left, fees.right), 40, 40)?.note).toMatch(
      /^A difference of 25\.00, as \d others; of 25\.00–45\.00, as 1\d others\./,
    );
    const discounts = wires(80, (_, amount) => Math.round(amount * 0.02));
    expect(found(solve(discounts.left, discounts.right), 40, 40)?.note).toMatch(
      /^A difference of 2 % of the left amount, as 1\d others\./,
    );
  });

  test("an amount with two swapped digits is proposed even with another name", () => {
    const { left, right } = wires(60);
    left.push({
      amount_minor: 345_678,
      value_date: 20_030,
      reference: "INV-71294",
      counterparty: "Zimmermann Textiles",
    });
    right.push({
      amount_minor: 354_678,
      value_date: 20_031,
      description: "WIRE IN MAPLE GOODS 71294",
    });
    expect(found(solve(left, right), 60, 60)?.note).toContain(
      "In the amount two digits are swapped.",
    );
  });
});

describe("an amount that stands once on each side", () => {
  const rule: Rule = {
    name: "Same amount",
    kind: "score",
    days_before: 4,
    days_after: 12,
    then: "match",
  };
  const lone = { amount_minor: 345_678, value_date: 20_030, counterparty: "Zimmermann Textiles" };
  const other = { amount_minor: 345_678, value_date: 20_033, description: "SQ MAPLE GOODS" };

  function proposed(left: readonly Given[], right: readonly Given[]): RunState {
    const others = wires(30);
    const state = new RunState(
      columns("left", [...left, ...others.left]),
      columns("right", [...right, ...others.right]),
      new Set(),
    );
    const nodes = (side: "left" | "right") => new Nodes(state, side, rule, (day) => day);
    proposeLoneAmounts(state, rule, 0, new Pool(state, nodes("left"), nodes("right")), null);
    return state;
  }

  test("is suggested and not matched, though the texts share nothing", () => {
    const { proposed: found, confirmed } = proposed([lone], [other]);
    const at = Array.from({ length: found.length }, (_, index) => index).find(
      (index) => found.left(index)[0] === 0,
    );
    expect(at).toBeDefined();
    expect([...found.right(at as number)]).toEqual([0]);
    expect(found.score[at as number]).toBeLessThanOrEqual(0.5);
    expect(found.notes.get(at as number)).toBe("No other open line of these days has this amount.");
    expect(confirmed.length).toBe(0);
  });

  test.each([
    ["another line of these days has it", [lone], [other, { ...other, description: "TST HARBOR" }]],
    ["one of the own side has it, too", [lone, { ...lone, value_date: 20_031 }], [other]],
    ["the days are too far apart", [lone], [{ ...other, value_date: 20_090 }]],
  ])("isn't matched where %s", (_, left, right) => {
    const { proposed: found } = proposed(left, right);
    for (let at = 0; at < found.length; at++)
      expect(left.length > (found.left(at)[0] as number)).toBe(false);
  });
});

test("a reversal that the other side shows, with its charge, cancels nothing", () => {
  const booked = { reference: "RG-77123", counterparty: "Adler GmbH", amount_minor: 123_457 };
  const back = {
    ...booked,
    amount_minor: -123_457,
    value_date: 20_004,
    description: "Returned debit",
  };
  const bank = {
    amount_minor: -123_957,
    value_date: 20_003,
    description: "RETURN AM04 RG-77123 CHARGE 5.00",
  };
  expect(solve([booked, back], []).confirmed.length).toBe(1);
  const shown = solve([booked, back], [bank]);
  expect([shown.confirmed.length, shown.suggested.length]).toEqual([0, 0]);
});

test("a number is the same with leading zeros, also in a text", () => {
  const { left, right } = wires(40);
  left.push({
    amount_minor: 345_678,
    value_date: 20_030,
    reference: "00041962",
    counterparty: "Zimmermann Textiles",
  });
  left.push({
    amount_minor: 345_678,
    value_date: 20_032,
    reference: "00041962-DUP",
    counterparty: "Zimmermann Textiles",
  });
  right.push({
    amount_minor: 345_678,
    value_date: 20_031,
    description: "WIRE IN ZIMMERMANN 00041962",
  });
  expect(found(solve(left, right), 40, 40)).not.toBeNull();
});

test("the lag is learnt by kind of movement", () => {
  const { left, right } = wires(60);
  // Checks clear after nine days, wires after one; a check and a wire of one amount, whose texts
  // say no more.
  for (let at = 0; at < 40; at++) {
    const amount = 2_000_000 + 7919 * at;
    left.push({
      amount_minor: amount,
      value_date: 20_000 + at,
      reference: `CK${8000 + 13 * at}`,
      description: "AP run",
    });
    right.push({
      amount_minor: amount,
      value_date: 20_009 + at,
      description: `CHECK PAID ${8000 + 13 * at}`,
    });
  }
  left.push({ amount_minor: 345_678, value_date: 20_030, description: "AP run" });
  right.push(
    { amount_minor: 345_678, value_date: 20_031, description: "CHECK PAID" },
    { amount_minor: 345_678, value_date: 20_039, description: "CHECK PAID" },
  );
  expect(found(solve(left, right), 100, 101)).not.toBeNull();
});
