/**
 * Suggests two lines whose amount occurs only once on each side within the rule's days, if nothing
 * speaks against the pair. Their texts need not share a word: a merchant's descriptor and a
 * vendor's name often don't.
 */

import type { Pool } from "../candidates/pool.ts";
import { daysAround } from "../candidates/window.ts";
import { BASIS, HELD } from "../matches.ts";
import type { Nodes } from "../prepare/nodes.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Rule } from "../rules.ts";
import { decidingRule } from "./deciding-rule.ts";

/** The score before chance is deducted: less than that of any pair that texts support. */
const SCORE = 0.5;
/** If more unrelated lines with the amount are expected by chance, an equal amount means little. */
const MAX_CHANCE = 0.1;
/** The maximum number of lines of one amount: with more, none of them is a lone amount. */
const MAX_LINES = 8;
const NOTE = "No other open line of these days has this amount.";

/** Only considers lines that are still open. */
export function proposeLoneAmounts(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  pool: Pool,
  equalAmountsRule: { rule: Rule; index: number } | null,
): void {
  const { left, right, seeking } = pool;
  const { before, after } = daysAround(rule);
  const smaller = left.count <= right.count ? left : right;
  const first = openByAmount(state, smaller);
  const second = openByAmount(state, smaller === left ? right : left, first);
  const [lefts, rights] = smaller === left ? [first, second] : [second, first];
  const canMatch = (l: number, r: number) => {
    const lag = (right.day[r] as number) - (left.day[l] as number);
    return lag >= -before && lag <= after && left.key.equal(l, right.key, r);
  };
  for (const [amount, leftNodes] of lefts) {
    const rightNodes = rights.get(amount);
    if (!rightNodes || amount === 0) continue;
    if (leftNodes.length > MAX_LINES || rightNodes.length > MAX_LINES) continue;
    for (const l of leftNodes) {
      const [r, otherRight] = rightNodes.filter((node) => canMatch(l, node));
      if (
        r === undefined ||
        otherRight !== undefined ||
        leftNodes.filter((node) => canMatch(node, r)).length > 1
      )
        continue;
      const [seeker, sought] = seeking === "left" ? [l, right.count] : [r, left.count];
      const chance = sought * Math.exp(-(pool.rarity[seeker] as number));
      if (chance > MAX_CHANCE || left.size(l) > 1 || right.size(r) > 1) continue;
      const [leftLine, rightLine] = [left.line(l), right.line(r)];
      if (
        state.pendingReversals.left.has(leftLine) ||
        state.pendingReversals.right.has(rightLine) ||
        state.isRejected([leftLine], [rightLine])
      )
        continue;
      const verdict = {
        basis: BASIS.unique,
        held: HELD.score,
        score: SCORE * (1 - chance),
        margin: -Math.log(chance),
        note: NOTE,
      };
      const ruleOf = decidingRule(state, equalAmountsRule, ruleIndex, leftLine, rightLine);
      state.decide(ruleOf, [leftLine], [rightLine], verdict);
    }
  }
}

/** @param others if given, only amounts that are among its keys are considered. */
function openByAmount(
  state: RunState,
  nodes: Nodes,
  others?: ReadonlyMap<number, unknown>,
): Map<number, number[]> {
  return nodes.byAmount(
    (node) =>
      state.isOpen(nodes.lines.side, nodes.line(node)) &&
      (!others || others.has(nodes.amount[node] as number)),
  );
}
