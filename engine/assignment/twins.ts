/**
 * Pairs lines that are equal in every field, several on each side. Nothing shows which of them
 * belong together, and it makes no difference, so they are paired in order if both sides have the
 * same number of them. The weight of evidence would be uncertain: the more of them there are, the
 * more common each looks.
 */

import { daysAround } from "../candidates/window.ts";
import { NO_DAY, TEXT_FIELDS } from "../lines.ts";
import { BASIS, HELD } from "../matches.ts";
import { Hasher, numberOf } from "../prepare/hash.ts";
import type { Nodes } from "../prepare/nodes.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Rule } from "../rules.ts";
import type { Side } from "../side.ts";

/** The lines of a node; `countedDay` is their day as the rule counts days. */
type Equals = { side: Side; lines: Int32Array; day: number; countedDay: number; bookedDay: number };

/** The minimum score of equal lines that are suggested because one side has more of them. */
const MIN_SCORE = 0.5;

const hash = new Hasher();

/** @returns whether any were matched; if so, the nodes no longer represent the open lines. */
export function pairEquals(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  left: Nodes,
  right: Nodes,
): boolean {
  const { before, after } = daysAround(rule);
  const open = state.openCount("left");
  for (const equals of equalsOf(left, right)) {
    for (const stretch of stretchesOf(equals, Math.max(before, after)))
      settle(state, rule, ruleIndex, stretch);
  }
  return state.openCount("left") < open;
}

/** Groups of nodes that differ only in their days, for amounts that a node of several lines has. */
function equalsOf(left: Nodes, right: Nodes): Equals[][] {
  const sides = [
    ["left", left],
    ["right", right],
  ] as const;
  const amounts = new Set<number>();
  for (const [, nodes] of sides) {
    for (let node = 0; node < nodes.count; node++)
      if (nodes.size(node) > 1) amounts.add(nodes.amount[node] as number);
  }
  const groups = new Map<number, Equals[]>();
  for (const [side, nodes] of sides) {
    for (let node = 0; node < nodes.count; node++) {
      if (!amounts.has(nodes.amount[node] as number)) continue;
      const key = keyOf(nodes, node);
      const line = nodes.line(node);
      const equals = {
        side,
        lines: nodes.member.subarray(nodes.start[node], nodes.start[node + 1]),
        day: nodes.lines.value_date[line] as number,
        countedDay: nodes.day[node] as number,
        bookedDay: nodes.lines.booked_date[line] as number,
      };
      const known = groups.get(key);
      if (known) known.push(equals);
      else groups.set(key, [equals]);
    }
  }
  return [...groups.values()];
}

/** A key of currency, amount and texts. */
function keyOf(nodes: Nodes, node: number): number {
  const { currency, hashes } = nodes.lines;
  const line = nodes.line(node);
  hash
    .start(0x2e)
    .word(currency[line] as number)
    .number(nodes.amount[node] as number);
  for (const field of TEXT_FIELDS)
    hash.word(hashes[field].high[line] as number).word(hashes[field].low[line] as number);
  const { high, low } = hash.finish();
  return numberOf(high, low);
}

/**
 * Splits equal lines into stretches of days. Two stretches are farther apart than the rule allows,
 * so their lines cannot belong together.
 */
function stretchesOf(equals: Equals[], reach: number): Equals[][] {
  const stretches: Equals[][] = [];
  let last = -Infinity;
  for (const one of equals.sort((a, b) => a.countedDay - b.countedDay || a.day - b.day)) {
    if (one.countedDay - last > reach) stretches.push([]);
    stretches[stretches.length - 1]?.push(one);
    last = one.countedDay;
  }
  return stretches;
}

/**
 * Pairs the lines of each day if both sides have the same number of lines on each day, or if there
 * is only one day. Otherwise a lag may be the reason for different numbers, so the evidence
 * decides.
 */
function settle(state: RunState, rule: Rule, ruleIndex: number, stretch: Equals[]): void {
  const days = new Map<number, { left: Equals[]; right: Equals[] }>();
  for (const equals of stretch) {
    const day = days.get(equals.day) ?? { left: [], right: [] };
    day[equals.side].push(equals);
    days.set(equals.day, day);
  }
  const counts: { left: Int32Array; right: Int32Array }[] = [];
  for (const { left, right } of days.values()) {
    if (areDistinguishable(left, right)) return;
    counts.push({ left: left[0]?.lines ?? NO_LINES, right: right[0]?.lines ?? NO_LINES });
  }
  if (counts.every(({ left, right }) => left.length === right.length)) {
    for (const { left, right } of counts)
      if (left.length > 1) pairInOrder(state, rule, ruleIndex, left, right);
  } else if (counts.length === 1) {
    for (const { left, right } of counts) pairInOrder(state, rule, ruleIndex, left, right);
  }
}

const NO_LINES = new Int32Array(0);

/** Whether the booking day distinguishes lines of one day; one side may lack it. */
function areDistinguishable(left: Equals[], right: Equals[]): boolean {
  const bookedDays = new Set(
    [...left, ...right].map((equals) => equals.bookedDay).filter((day) => day !== NO_DAY),
  );
  return left.length > 1 || right.length > 1 || bookedDays.size > 1;
}

function pairInOrder(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  left: Int32Array,
  right: Int32Array,
): void {
  const pairs = Math.min(left.length, right.length);
  const larger = Math.max(left.length, right.length);
  const held = pairs < larger ? HELD.margin : rule.then === "match" ? HELD.no : HELD.rule;
  const score = pairs < larger ? Math.max(MIN_SCORE, pairs / larger) : 1;
  const verdict = {
    basis: BASIS.in_order,
    held,
    score,
    margin: pairs < larger ? 0 : Infinity,
    note: noteOf(left.length, right.length),
  };
  for (let at = 0; at < pairs; at++) {
    const [l, r] = [left[at] as number, right[at] as number];
    if (state.isRejected([l], [r])) continue;
    state.decide(ruleIndex, [l], [r], verdict);
  }
}

function noteOf(left: number, right: number): string {
  if (left === right) return `Paired in order: ${left} equal lines on each side.`;
  const rest = Math.abs(left - right);
  const larger = left > right ? "left" : "right";
  return (
    `Paired in order: ${left} equal on the left, ${right} on the right. ` +
    `Of those on the ${larger}, ${rest} ${rest === 1 ? "has" : "have"} no counterpart.`
  );
}
