/**
 * A weekly rent: one amount and name several times on each side, equally often. The evidence cannot
 * tell which payment is for which week, so they are suggested in the order of their days.
 */

import type { Pool } from "../candidates/pool.ts";
import { type Days, daysAround } from "../candidates/window.ts";
import { BASIS, HELD } from "../matches.ts";
import { Hasher, mix } from "../prepare/hash.ts";
import type { Nodes } from "../prepare/nodes.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Rule } from "../rules.ts";
import { opposite } from "../side.ts";
import { callsByName } from "../sums/cut-names.ts";
import { decidingRule } from "./deciding-rule.ts";

const SCORE = 0.5;
/** Longer series are no weekly payments of a few months. */
const MAX_LENGTH = 14;
const hash = new Hasher();
const NOTE = "This amount and name occur equally often on both sides: they are paired by date.";

/** Considers the lines that are still open. */
export function proposeEqualSeries(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  pool: Pool,
  ofEqualAmounts: { rule: Rule; index: number } | null,
): void {
  const days = daysAround(rule);
  const proposed = state.proposedAbove(SCORE);
  for (const side of ["left", "right"] as const) {
    const other = opposite(side);
    const isFree = (nodes: Nodes, node: number) =>
      nodes.size(node) === 1 &&
      nodes.amount[node] !== 0 &&
      state.isOpen(nodes.lines.side, nodes.line(node)) &&
      !proposed[nodes.lines.side].has(nodes.line(node)) &&
      !state.pendingReversals[nodes.lines.side].has(nodes.line(node));
    const series = seriesOf(pool[side], isFree);
    if (series.length === 0) continue;
    const amounts = new Set(series.map(([node]) => pool[side].amount[node as number]));
    const others = pool[other].byAmount(
      (node) => amounts.has(pool[other].amount[node]) && isFree(pool[other], node),
    );
    for (const own of series) {
      const equals = inOrderOfDays(
        pool[other],
        others.get(pool[side].amount[own[0] as number] as number) ?? [],
      );
      const line = pool[side].line(own[0] as number);
      const called = equals.filter((node) =>
        callsByName(pool[other].lines, pool[other].line(node), pool[side].lines, line),
      );
      if (called.length !== own.length) continue;
      const pairs = own.map((node, at): [number, number] =>
        side === "left" ? [node, called[at] as number] : [called[at] as number, node],
      );
      if (!pairs.every(([l, r]) => reaches(pool, days, l, r))) continue;
      for (const [l, r] of pairs) {
        const [one, another] = [pool.left.line(l), pool.right.line(r)];
        if (state.isRejected([one], [another])) continue;
        const ruleOf = decidingRule(state, ofEqualAmounts, ruleIndex, one, another);
        state.decide(ruleOf, [one], [another], {
          basis: BASIS.nearest,
          held: HELD.margin,
          score: SCORE,
          margin: 0,
          note: NOTE,
        });
      }
    }
  }
}

/** Nodes of one amount, currency and counterparty, two and more, by rising day. */
function seriesOf(nodes: Nodes, isFree: (nodes: Nodes, node: number) => boolean): number[][] {
  const { counterparty } = nodes.lines.hashes;
  const isRepeated = repeatedNodes(nodes);
  const series = new Map<string, number[]>();
  for (let node = 0; node < nodes.count; node++) {
    if (!isRepeated(node)) continue;
    const line = nodes.line(node);
    if (!counterparty.has(line) || !isFree(nodes, node)) continue;
    const key = `${nodes.amount[node]} ${nodes.lines.currency[line]} ${counterparty.key(line)}`;
    const known = series.get(key);
    if (known) known.push(node);
    else series.set(key, [node]);
  }
  const isSeries = ({ length }: number[]) => length >= 2 && length <= MAX_LENGTH;
  return [...series.values()].filter(isSeries).map((own) => inOrderOfDays(nodes, own));
}

/**
 * Whether another node has the amount, currency and counterparty of one, by a hash of them: a few
 * others by chance. Most have none, and no key is made for them.
 */
function repeatedNodes({ lines, amount, count, member, start }: Nodes): (node: number) => boolean {
  const { low } = lines.hashes.counterparty;
  const seen = new Uint8Array(2 ** Math.ceil(Math.log2(4 * count + 16)));
  const places = new Int32Array(count);
  for (let node = 0; node < count; node++) {
    const line = member[start[node] as number] as number;
    hash.start(0x5e).number(amount[node] as number);
    hash.word(lines.currency[line] as number).word(low[line] as number);
    const place = mix(hash.low) & (seen.length - 1);
    places[node] = place;
    seen[place] = seen[place] === 0 ? 1 : 2;
  }
  return (node) => seen[places[node] as number] === 2;
}

function inOrderOfDays({ day }: Nodes, nodes: number[]): number[] {
  return nodes.sort((a, b) => (day[a] as number) - (day[b] as number) || a - b);
}

function reaches({ left, right }: Pool, { before, after }: Days, l: number, r: number): boolean {
  const lag = (right.day[r] as number) - (left.day[l] as number);
  return lag >= -before && lag <= after && left.key.equal(l, right.key, r);
}
