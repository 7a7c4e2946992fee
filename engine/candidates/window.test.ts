import fc from "fast-check";
import { expect, test } from "vitest";
import { type Line, Lines } from "../lines.ts";
import { isWithin } from "../prepare/amounts.ts";
import { Nodes } from "../prepare/nodes.ts";
import { RunState } from "../prepare/run-state.ts";
import type { Rule } from "../rules.ts";
import { Window } from "./window.ts";

const RULE: Rule = {
  name: "Near",
  kind: "tolerance",
  amount_tolerance_minor: 4,
  days_before: 2,
  days_after: 2,
  then: "match",
};
const MAX_EXAMINED = 5;

const line = fc.record({
  amount_minor: fc.integer({ min: -3, max: 9 }),
  value_date: fc.integer({ min: 20_000, max: 20_004 }),
  currency: fc.constantFrom("EUR", "EUR", "JPY"),
});

test("a window holds the nearest amounts of its key, in a fixed order", () => {
  let truncated = 0;
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 3 }),
      fc.array(line, { minLength: 25, maxLength: 40 }),
      (lefts, rights) => {
        const state = new RunState(columns("left", lefts), columns("right", rights), new Set());
        const [left, right] = [
          new Nodes(state, "left", RULE, (day) => day),
          new Nodes(state, "right", RULE, (day) => day),
        ];
        const window = new Window(right, RULE, MAX_EXAMINED);
        for (let l = 0; l < left.count; l++) {
          window.search(left, l);
          if (window.isTruncated) truncated += 1;
          expect([...window.found.subarray(0, window.count)]).toEqual(searchAll(left, l, right));
        }
      },
    ),
    { numRuns: 300 },
  );
  expect(truncated).toBeGreaterThan(0);
});

/** Does the same search by comparing all nodes. */
function searchAll(left: Nodes, l: number, right: Nodes): number[] {
  const amount = left.amount[l] as number;
  const day = left.day[l] as number;
  const amountOf = (r: number) => right.amount[r] as number;
  const dayOf = (r: number) => right.day[r] as number;
  const withinTolerance = Array.from({ length: right.count }, (_, r) => r)
    .filter(
      (r) => left.key.equal(l, right.key, r) && isWithin({ minor: 4, bps: 0 }, amount, amountOf(r)),
    )
    .sort((a, b) => amountOf(a) - amountOf(b) || dayOf(a) - dayOf(b) || a - b);
  const isBelow = (r: number) => amountOf(r) < amount || (amountOf(r) === amount && dayOf(r) < day);
  const below = withinTolerance.filter(isBelow).reverse();
  const above = withinTolerance.filter((r) => !isBelow(r));
  const nearest: number[] = [];
  while (nearest.length < MAX_EXAMINED && (below.length > 0 || above.length > 0)) {
    const distance = (r: number | undefined) =>
      r === undefined ? Infinity : Math.abs(amountOf(r) - amount);
    nearest.push(
      (distance(above[0]) <= distance(below[0]) ? above.shift() : below.shift()) as number,
    );
  }
  return withinTolerance.filter((r) => nearest.includes(r) && Math.abs(dayOf(r) - day) <= 2);
}

function columns(
  side: "left" | "right",
  lines: readonly Omit<Line, "handle" | "identity">[],
): Lines {
  const columns = new Lines(side, lines.length);
  for (const [handle, one] of lines.entries())
    columns.add({ ...one, handle, identity: `${side}${handle}` });
  return columns;
}
