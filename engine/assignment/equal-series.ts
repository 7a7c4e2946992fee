/**
 * Suggests series of payments such as a weekly rent: the same amount and name several times on each
 * side, equally often. The evidence cannot show which payment is for which week, so they are paired
 * in the order of their days.
 */

import type { Pool } from "../candidates/pool.ts";
import { type Days, daysAround } from "../candidates/window.ts";
import { BASIS, HELD } from "../matches.ts";
import { Hasher, mix } from "../prepare/hash.ts";
import type { Nodes } from "../prepare/nodes.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Rule } from "../rules.ts";
import { opposite } from "../side.ts";
import { hasCounterpartyOf } from "../sums/cut-names.ts";
import { decidingRule } from "./deciding-rule.ts";

const SCORE = 0.5;
/** The maximum length of a series: weekly payments of a few months. */
const MAX_LENGTH = 14;
const hash = new Hasher();
const NOTE = "This amount and name occur equally often on both sides: they are paired by date.";

/** Only considers lines that are still open. */
export function proposeEqualSeries(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  pool: Pool,
  equalAmountsRule: { rule: Rule; index: number } | null,
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
    for (const nodes of series) {
      const sameAmount = inOrderOfDays(
        pool[other],
        others.get(pool[side].amount[nodes[0] as number] as number) ?? [],
      );
      const line = pool[side].line(nodes[0] as number);
      const sameName = sameAmount.filter((node) =>
        hasCounterpartyOf(pool[other].lines, pool[other].line(node), pool[side].lines, line),
      );
      if (sameName.length !== nodes.length) continue;
      const pairs = nodes.map((node, at): [number, number] =>
        side === "left" ? [node, sameName[at] as number] : [sameName[at] as number, node],
      );
      if (!pairs.every(([l, r]) => canMatch(pool, days, l, r))) continue;
      for (const [l, r] of pairs) {
        const [leftLine, rightLine] = [pool.left.line(l), pool.right.line(r)];
        if (state.isRejected([leftLine], [rightLine])) continue;
        const ruleOf = decidingRule(state, equalAmountsRule, ruleIndex, leftLine, rightLine);
        state.decide(ruleOf, [leftLine], [rightLine], {
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

/** Series of nodes with the same amount, currency and counterparty, by ascending day. */
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
  return [...series.values()].filter(isSeries).map((unsorted) => inOrderOfDays(nodes, unsorted));
}

/**
 * Returns whether another node has the same amount, currency and counterparty as a node. It
 * compares hashes, so it is also true of a few others by chance. For most nodes it is false, which
 * saves creating a key for them.
 */
function repeatedNodes({ lines, amount, count, member, start }: Nodes): (node: number) => boolean {
  const { low } = lines.hashes.counterparty;
  const seen = new Uint8Array(2 ** Math.ceil(Math.log2(4 * count + 16)));
  const buckets = new Int32Array(count);
  for (let node = 0; node < count; node++) {
    const line = member[start[node] as number] as number;
    hash.start(0x5e).number(amount[node] as number);
    hash.word(lines.currency[line] as number).word(low[line] as number);
    const bucket = mix(hash.low) & (seen.length - 1);
    buckets[node] = bucket;
    seen[bucket] = seen[bucket] === 0 ? 1 : 2;
  }
  return (node) => seen[buckets[node] as number] === 2;
}

function inOrderOfDays({ day }: Nodes, nodes: number[]): number[] {
  return nodes.sort((a, b) => (day[a] as number) - (day[b] as number) || a - b);
}

function canMatch({ left, right }: Pool, { before, after }: Days, l: number, r: number): boolean {
  const lag = (right.day[r] as number) - (left.day[l] as number);
  return lag >= -before && lag <= after && left.key.equal(l, right.key, r);
}
