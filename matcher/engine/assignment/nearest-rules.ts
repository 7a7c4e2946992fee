import { BASIS, HELD } from "../matches.ts";
import { type BusinessDays, daysOf } from "../prepare/days.ts";
import { Nodes } from "../prepare/nodes.ts";
import type { World } from "../prepare/world.ts";
import type { Progress } from "../progress.ts";
import type { Rule } from "../rules.ts";
import { allocate } from "./allocate.ts";
import { namedReversals } from "./named-reversals.ts";
import { type NearestPair, nearestPairs } from "./nearest.ts";
import { shownAcross } from "./reversals-across.ts";

/** Pairs whose amounts and days are within the rule's tolerance of each other, where it is clear which. */
export function* tolerant(world: World, rule: Rule, ruleIndex: number, businessDays: BusinessDays): Generator<Progress> {
  const dayNumber = daysOf(rule, businessDays);
  const left = new Nodes(world, "left", rule, dayNumber);
  const right = new Nodes(world, "right", rule, dayNumber);
  for (const pair of yield* nearestPairs(world, left, right, rule)) {
    for (let unit = 0; unit < pair.units; unit++) {
      const l = left.take(pair.left);
      const r = right.take(pair.right);
      if (world.isRejected([l], [r])) continue;
      const verdict = {
        basis: pair.alone ? BASIS.unique : BASIS.nearest,
        held: rule.then === "match" ? HELD.no : HELD.rule,
        score: pair.alone ? 0.99 : 0.98,
        margin: pair.alone ? Infinity : pair.margin,
        runnerUp: runnerUpOf(pair, left, right),
      };
      const allocated = allocate(world.left, [l], world.right, [r], rule);
      if (allocated === null) continue;
      if (rule.then === "match") world.confirm(ruleIndex, [l], [r], verdict, allocated);
      else world.proposed.add(ruleIndex, [l], [r], verdict, allocated);
    }
  }
}

/**
 * Lines of one side that cancel each other: the same amount with opposite signs. A reversal counts `days_after` the booking it
 * takes back, or `days_before` it. Where they are to have one reference, one may name the other's instead.
 */
export function* reversal(world: World, rule: Rule, ruleIndex: number, businessDays: BusinessDays): Generator<Progress> {
  const dayNumber = daysOf(rule, businessDays);
  for (const side of ["left", "right"] as const) {
    const amounts = new Set<number>();
    for (const line of world.open(side)) amounts.add(world[side].amount[line] as number);
    const booked = new Nodes(world, side, rule, dayNumber, (amount) => amount > 0 && amounts.has(-amount));
    const reversed = new Nodes(world, side, rule, dayNumber, (amount) => amount < 0 && amounts.has(-amount));
    for (let node = 0; node < reversed.count; node++) reversed.amount[node] = -(reversed.amount[node] as number);
    const pairs = yield* nearestPairs(world, booked, reversed, { ...rule, amount_tolerance_bps: 0, amount_tolerance_minor: 0 });
    const taken = pairs.flatMap((pair) =>
      Array.from({ length: pair.units }, () => ({ pair, lines: [booked.take(pair.left), reversed.take(pair.right)] })),
    );
    const shown = shownAcross(
      world,
      side,
      taken.flatMap(({ lines }) => lines),
    );
    for (const { pair, lines } of taken) {
      const [left, right] = side === "left" ? [lines, []] : [[], lines];
      if (lines.some((line) => shown.has(line)) || world.isRejected(left, right)) continue;
      const runnerUp = runnerUpOf(pair, booked, reversed);
      const verdict = {
        basis: pair.alone ? BASIS.unique : BASIS.nearest,
        held: rule.then === "match" ? HELD.no : HELD.rule,
        score: pair.alone ? 0.99 : 0.98,
        margin: pair.alone ? Infinity : pair.margin,
        runnerUp: runnerUp && { ...runnerUp, side },
      };
      if (rule.then === "match") world.confirm(ruleIndex, left, right, verdict);
      else world.proposed.add(ruleIndex, left, right, verdict);
    }
    if (rule.on?.includes("reference")) yield* namedReversals(world, side, rule, ruleIndex, dayNumber);
  }
}

function runnerUpOf({ runnerUp }: NearestPair, left: Nodes, right: Nodes) {
  if (runnerUp.right >= 0) return { side: "right" as const, line: right.line(runnerUp.right) };
  if (runnerUp.left >= 0) return { side: "left" as const, line: left.line(runnerUp.left) };
  return undefined;
}
