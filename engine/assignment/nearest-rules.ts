import { BASIS, HELD } from "../matches.ts";
import { type BusinessDays, daysOf } from "../prepare/days.ts";
import { Nodes } from "../prepare/nodes.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Progress } from "../progress.ts";
import type { Rule } from "../rules.ts";
import { allocate } from "./allocate.ts";
import { namedReversals } from "./named-reversals.ts";
import { type NearestPair, nearestPairs } from "./nearest.ts";
import { shownAcross } from "./reversals-across.ts";

/**
 * Pairs whose amounts and days are within the rule's tolerance of each other, if it is clear which
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
        basis: pair.alone ? BASIS.unique : BASIS.nearest,
        held: rule.then === "match" ? HELD.no : HELD.rule,
        score: pair.alone ? 0.99 : 0.98,
        margin: pair.alone ? Infinity : pair.margin,
        runnerUp: runnerUpOf(pair, left, right),
      };
      const allocated = allocate(state.left, [l], state.right, [r], rule);
      if (allocated === null) continue;
      state.decide(ruleIndex, [l], [r], verdict, allocated);
    }
  }
}

/**
 * Lines of one side that cancel each other: the same amount with opposite signs. A reversal is
 * `days_after` the booking it reverses, or `days_before` it. If they must have the same reference,
 * one may name the other's instead.
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
    const taken = pairs.flatMap((pair) =>
      Array.from({ length: pair.units }, () => ({
        pair,
        lines: [booked.take(pair.left), reversed.take(pair.right)],
      })),
    );
    const shown = shownAcross(
      state,
      side,
      taken.flatMap(({ lines }) => lines),
    );
    for (const { pair, lines } of taken) {
      const [left, right] = side === "left" ? [lines, []] : [[], lines];
      if (lines.some((line) => shown.has(line)) || state.isRejected(left, right)) continue;
      const runnerUp = runnerUpOf(pair, booked, reversed);
      const verdict = {
        basis: pair.alone ? BASIS.unique : BASIS.nearest,
        held: rule.then === "match" ? HELD.no : HELD.rule,
        score: pair.alone ? 0.99 : 0.98,
        margin: pair.alone ? Infinity : pair.margin,
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
