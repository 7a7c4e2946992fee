import { expect, test } from "vitest";
import { Lines } from "../lines.ts";
import { BASIS, HELD } from "../matches.ts";
import { RunState } from "../prepare/run-state.ts";
import { disjointSuggestions } from "./suggestions.ts";

const FEES = 0;
const PART_PAYMENTS = 1;

function lines(side: "left" | "right"): Lines {
  const two = new Lines(side, 2);
  for (const handle of [0, 1])
    two.add({
      handle,
      identity: `${side}${handle}`,
      amount_minor: side === "left" ? 1000 : 999 + handle,
      currency: "EUR",
      value_date: 20_000,
    });
  return two;
}

function suggested(...proposals: [rule: number, left: number, right: number, score: number][]) {
  const state = new RunState(lines("left"), lines("right"), new Set());
  for (const [rule, left, right, score] of proposals)
    state.proposed.add(rule, [left], [right], {
      basis: BASIS.evidence,
      held: HELD.track_record,
      score,
      margin: 5,
    });
  const found = disjointSuggestions(state);
  return Array.from({ length: found.length }, (_, at) => [
    found.rule[at],
    found.left(at)[0],
    found.right(at)[0],
  ]);
}

test("of rules with the same lines, the first is suggested, whatever the scores", () => {
  expect(suggested([FEES, 0, 0, 0.998], [PART_PAYMENTS, 0, 0, 0.999])).toEqual([[FEES, 0, 0]]);
});

test("of proposals that share a line, the more probable is suggested", () => {
  expect(suggested([FEES, 0, 0, 0.8], [PART_PAYMENTS, 1, 0, 0.9])).toEqual([[PART_PAYMENTS, 1, 0]]);
});

test("of proposals that share a line, a probable one without a difference is suggested", () => {
  expect(suggested([FEES, 0, 0, 0.99], [PART_PAYMENTS, 0, 1, 0.8])).toEqual([
    [PART_PAYMENTS, 0, 1],
  ]);
  expect(suggested([FEES, 0, 0, 0.99], [PART_PAYMENTS, 0, 1, 0.3])).toEqual([[FEES, 0, 0]]);
});
