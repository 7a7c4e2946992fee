import { BASIS, HELD } from "../matches.ts";
import { type BusinessDays, daysOf } from "../prepare/days.ts";
import { Nodes } from "../prepare/nodes.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Progress } from "../progress.ts";
import type { Rule } from "../rules.ts";
import { allocate } from "./allocate.ts";
import { namedReversals } from "./named-reversals.ts";
import { type NearestPair, nearestPairs } from "./nearest.ts";
import { reversalsOnOtherSide } from "./reversals-across.ts";

/**
 * Matches pairs whose amounts and days are within the rule's tolerance, if it is clear which lines
 * belong together.
 */
export function* tolerant(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  businessDays: BusinessDays,
): Generator<Progress> {
  const dayNumber = daysOf(rule, businessDays);
  const left = new Nodes(state, "left", rule, dayNumber);
  const right = new Nodes(state, "right", rule, dayNumber);
  for (const pair of yield* nearestPairs(state, left, right, rule)) {
    for (let unit = 0; unit < pair.units; unit++) {
      const l = left.take(pair.left);
      const r = right.take(pair.right);
      if (state.isRejected([l], [r])) continue;
      const verdict = {
        basis: pair.isAlone ? BASIS.unique : BASIS.nearest,
        held: rule.then === "match" ? HELD.no : HELD.rule,
        score: pair.isAlone ? 0.99 : 0.98,
        margin: pair.isAlone ? Infinity : pair.margin,
        runnerUp: runnerUpOf(pair, left, right),
      };
      const allocated = allocate(state.left, [l], state.right, [r], rule);
      if (allocated === null) continue;
      state.decide(ruleIndex, [l], [r], verdict, allocated);
    }
  }
}

/**
 * Matches lines of one side that cancel each other: the same amount with opposite signs. A reversal
 * is up to `days_after` after the booking that it reverses, or up to `days_before` before it. If
 * the rule requires the same reference, one line may quote the other's reference instead.
 */
export function* reversal(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  businessDays: BusinessDays,
): Generator<Progress> {
  const dayNumber = daysOf(rule, businessDays);
  for (const side of ["left", "right"] as const) {
    const amounts = new Set<number>();
    for (const line of state.open(side)) amounts.add(state[side].amount[line] as number);
    const booked = new Nodes(
      state,
      side,
      rule,
      dayNumber,
      (amount) => amount > 0 && amounts.has(-amount),
    );
    const reversed = new Nodes(
      state,
      side,
      rule,
      dayNumber,
      (amount) => amount < 0 && amounts.has(-amount),
    );
    for (let node = 0; node < reversed.count; node++)
      reversed.amount[node] = -(reversed.amount[node] as number);
    const pairs = yield* nearestPairs(state, booked, reversed, {
      ...rule,
      amount_tolerance_bps: 0,
      amount_tolerance_minor: 0,
    });
    const linePairs = pairs.flatMap((pair) =>
      Array.from({ length: pair.units }, () => ({
        pair,
        lines: [booked.take(pair.left), reversed.take(pair.right)],
      })),
    );
    const onOtherSide = reversalsOnOtherSide(
      state,
      side,
      linePairs.flatMap(({ lines }) => lines),
    );
    for (const { pair, lines } of linePairs) {
      const [left, right] = side === "left" ? [lines, []] : [[], lines];
      if (lines.some((line) => onOtherSide.has(line)) || state.isRejected(left, right)) continue;
      const runnerUp = runnerUpOf(pair, booked, reversed);
      const verdict = {
        basis: pair.isAlone ? BASIS.unique : BASIS.nearest,
        held: rule.then === "match" ? HELD.no : HELD.rule,
        score: pair.isAlone ? 0.99 : 0.98,
        margin: pair.isAlone ? Infinity : pair.margin,
        runnerUp: runnerUp && { ...runnerUp, side },
      };
      state.decide(ruleIndex, left, right, verdict);
    }
    if (rule.on?.includes("reference"))
      yield* namedReversals(state, side, rule, ruleIndex, dayNumber);
  }
}

function runnerUpOf({ runnerUp }: NearestPair, left: Nodes, right: Nodes) {
  if (runnerUp.right >= 0) return { side: "right" as const, line: right.line(runnerUp.right) };
  if (runnerUp.left >= 0) return { side: "left" as const, line: left.line(runnerUp.left) };
  return undefined;
}
