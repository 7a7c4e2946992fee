/**
 * Lines that are equal in every given field, several on each side. Nothing can tell which of them
 * belong together, and nothing depends on it: if both sides have equally many, they are paired in
 * order. Evidence would be uncertain about them: the more there are, the more common each looks.
 */

import { daysAround } from "../candidates/window.ts";
import { NO_DAY, TEXT_FIELDS } from "../lines.ts";
import { BASIS, HELD } from "../matches.ts";
import { Hasher } from "../prepare/hash.ts";
import type { Nodes } from "../prepare/nodes.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Rule } from "../rules.ts";
import type { Side } from "../side.ts";

/** The lines of a node; `counted` is their day as the rule counts days. */
type Equals = { side: Side; lines: Int32Array; day: number; counted: number; booked: number };

/** For suggested equal lines: one of the surplus ones has no counterpart. */
const LEAST_SCORE = 0.5;

const hash = new Hasher();

/** @returns whether any were matched: then these nodes no longer represent the open lines. */
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

/** Nodes that are equal except for their days, with amounts of which a node has several lines. */
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
  const alike = new Map<number, Equals[]>();
  for (const [side, nodes] of sides) {
    for (let node = 0; node < nodes.count; node++) {
      if (!amounts.has(nodes.amount[node] as number)) continue;
      const key = keyOf(nodes, node);
      const line = nodes.line(node);
      const equals = {
        side,
        lines: nodes.member.subarray(nodes.start[node], nodes.start[node + 1]),
        day: nodes.lines.value_date[line] as number,
        counted: nodes.day[node] as number,
        booked: nodes.lines.booked_date[line] as number,
      };
      const known = alike.get(key);
      if (known) known.push(equals);
      else alike.set(key, [equals]);
    }
  }
  return [...alike.values()];
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
  return (high & 0x1fffff) * 4294967296 + low;
}

/**
 * Lines that may belong together by their days: between two stretches are more days than the rule
 * covers.
 */
function stretchesOf(equals: Equals[], reach: number): Equals[][] {
  const stretches: Equals[][] = [];
  let last = -Infinity;
  for (const one of equals.sort((a, b) => a.counted - b.counted || a.day - b.day)) {
    if (one.counted - last > reach) stretches.push([]);
    stretches[stretches.length - 1]?.push(one);
    last = one.counted;
  }
  return stretches;
}

/**
 * If the two sides of a stretch have different numbers of lines on its days, a lag may be the
 * reason: then the evidence decides.
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
    if (areToldApart(left, right)) return;
    counts.push({ left: left[0]?.lines ?? NOBODY, right: right[0]?.lines ?? NOBODY });
  }
  if (counts.every(({ left, right }) => left.length === right.length)) {
    for (const { left, right } of counts)
      if (left.length > 1) pair(state, rule, ruleIndex, left, right);
  } else if (counts.length === 1) {
    for (const { left, right } of counts) pair(state, rule, ruleIndex, left, right);
  }
}

const NOBODY = new Int32Array(0);

/** Distinguished by the day on which they were booked; one side may not state it. */
function areToldApart(left: Equals[], right: Equals[]): boolean {
  const booked = new Set(
    [...left, ...right].map((equals) => equals.booked).filter((day) => day !== NO_DAY),
  );
  return left.length > 1 || right.length > 1 || booked.size > 1;
}

function pair(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  left: Int32Array,
  right: Int32Array,
): void {
  const pairs = Math.min(left.length, right.length);
  const many = Math.max(left.length, right.length);
  const held = pairs < many ? HELD.margin : rule.then === "match" ? HELD.no : HELD.rule;
  const score = pairs < many ? Math.max(LEAST_SCORE, pairs / many) : 1;
  const verdict = {
    basis: BASIS.in_order,
    held,
    score,
    margin: pairs < many ? 0 : Infinity,
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
