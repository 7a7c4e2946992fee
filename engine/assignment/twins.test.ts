import { describe, expect, test } from "vitest";
import { combinationHashOf } from "../content-hash.ts";
import { type Input, match, type Result } from "../engine.ts";
import { explain } from "../explain.ts";
import { checkInvariants } from "../invariants.ts";
import { type Line, Lines } from "../lines.ts";
import { DEFAULT_RULES } from "../rules.ts";

type Given = Partial<Line>;

const COFFEE = { amount_minor: 450, counterparty: "Cafe Luna", description: "Coffee" };

function columns(side: "left" | "right", given: readonly Given[]): Lines {
  const lines = new Lines(side, given.length);
  for (const [handle, line] of given.entries())
    lines.add({
      handle,
      identity: String(handle),
      amount_minor: 450,
      currency: "EUR",
      value_date: 20_000,
      ...line,
    });
  return lines;
}

function solve(left: readonly Given[], right: readonly Given[], more: Partial<Input> = {}): Result {
  const result = match({
    left: columns("left", left),
    right: columns("right", right),
    rules: DEFAULT_RULES,
    ...more,
  });
  expect(checkInvariants(result)).toEqual([]);
  return result;
}

function times<T>(count: number, one: T): T[] {
  return Array.from({ length: count }, () => one);
}

function explanationsOf(result: Result, state: "confirmed" | "suggested") {
  return Array.from({ length: result[state].length }, (_, at) => {
    const { rule, basis, held, note } = explain(result, state, at);
    return { rule, basis, held, note };
  });
}

describe("lines that are equal in every field", () => {
  test.each([
    ["with texts", COFFEE],
    ["with nothing but an amount and a day", {}],
  ])(
    "are paired in order if both sides have the same number, %s, with that explanation",
    (_, line) => {
      const result = solve(times(3, line), times(3, line));
      const note = "Paired in order: 3 equal lines on each side.";
      expect(explanationsOf(result, "confirmed")).toEqual(
        times(3, { rule: "Same amount", basis: "in_order", held: null, note }),
      );
      expect(result.suggested.length).toBe(0);
    },
  );

  test("are paired even without a track record", () => {
    const result = solve(times(2, COFFEE), times(2, COFFEE), { automatic: "suggest_only" });
    expect(result.confirmed.length).toBe(2);
  });

  test("are only suggested if one side has more, and the explanation names the remainder", () => {
    const result = solve(times(3, COFFEE), times(2, COFFEE));
    expect(result.confirmed.length).toBe(0);
    const note =
      "Paired in order: 3 equal on the left, 2 on the right. " +
      "Of those on the left, 1 has no counterpart.";
    expect(explanationsOf(result, "suggested")).toEqual(
      times(2, { rule: "Same amount", basis: "in_order", held: "margin", note }),
    );
  });

  test("are only suggested if one of very many has no counterpart", () => {
    const result = solve(times(151, COFFEE), times(150, COFFEE));
    expect(result.confirmed.length).toBe(0);
    expect(result.suggested.length).toBe(150);
  });

  test("are left to the evidence if they recur on other days less often", () => {
    const left = [...times(2, COFFEE), ...times(2, { ...COFFEE, value_date: 20_001 })];
    const right = [
      ...times(2, { ...COFFEE, value_date: 20_001 }),
      ...times(2, { ...COFFEE, value_date: 20_002 }),
    ];
    const result = solve(left, right);
    expect(
      [...explanationsOf(result, "confirmed"), ...explanationsOf(result, "suggested")].filter(
        ({ basis }) => basis === "in_order",
      ),
    ).toEqual([]);
  });

  test("are paired day by day if both sides have the same number on each day", () => {
    const days = [0, 1, 5].flatMap((day) => times(2, { ...COFFEE, value_date: 20_000 + day }));
    const result = solve(days, [...days].reverse());
    expect(result.confirmed.length).toBe(6);
    for (let at = 0; at < 6; at++)
      expect(explain(result, "confirmed", at)).toMatchObject({
        basis: "in_order",
        tolerance: { days: 0 },
      });
  });

  test("are not paired if the booking day differs", () => {
    const left = [{ ...COFFEE, booked_date: 20_001 }, COFFEE];
    expect(
      explanationsOf(solve(left, times(2, COFFEE)), "confirmed").filter(
        ({ basis }) => basis === "in_order",
      ),
    ).toEqual([]);
  });

  test("are paired although only one side has a booking day", () => {
    expect(
      solve(times(2, { ...COFFEE, booked_date: 20_001 }), times(2, COFFEE)).confirmed.length,
    ).toBe(2);
  });

  test("are not matched again after a person rejected the match", () => {
    const rejected = new Set(
      [0, 1].flatMap((l) => [0, 1].map((r) => combinationHashOf([String(l)], [String(r)]))),
    );
    const result = solve(times(2, COFFEE), times(2, COFFEE), { rejected });
    expect(result.confirmed.length + result.suggested.length).toBe(0);
  });
});
