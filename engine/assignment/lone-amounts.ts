/**
 * One amount, once on each side, within the rule's days, and nothing against it: it is suggested
 * even if the texts share nothing, as with a merchant's descriptor and a vendor's name.
 */

import type { Pool } from "../candidates/pool.ts";
import { daysAround } from "../candidates/window.ts";
import { BASIS, HELD } from "../matches.ts";
import type { Nodes } from "../prepare/nodes.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Rule } from "../rules.ts";
import { decidingRule } from "./deciding-rule.ts";

/** What such a pair is worth besides chance: less than anything the texts support. */
const SCORE = 0.5;
/** If unrelated lines have the amount more often, two lines of one amount mean little. */
const MOST_CHANCE = 0.1;
/** How many lines of one amount are examined: with more, none is alone. */
const CROWD = 8;
const NOTE = "No other open line of these days has this amount.";

/** Considers the lines that are still open. */
export function proposeLoneAmounts(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  pool: Pool,
  ofEqualAmounts: { rule: Rule; index: number } | null,
): void {
  const { left, right, seeking } = pool;
  const { before, after } = daysAround(rule);
  const shorter = left.count <= right.count ? left : right;
  const first = openByAmount(state, shorter);
  const second = openByAmount(state, shorter === left ? right : left, first);
  const [lefts, rights] = shorter === left ? [first, second] : [second, first];
  const reaches = (l: number, r: number) => {
    const lag = (right.day[r] as number) - (left.day[l] as number);
    return lag >= -before && lag <= after && left.key.equal(l, right.key, r);
  };
  for (const [amount, own] of lefts) {
    const others = rights.get(amount);
    if (!others || amount === 0 || own.length > CROWD || others.length > CROWD) continue;
    for (const l of own) {
      const [r, another] = others.filter((node) => reaches(l, node));
      if (
        r === undefined ||
        another !== undefined ||
        own.filter((node) => reaches(node, r)).length > 1
      )
        continue;
      const [seeker, sought] = seeking === "left" ? [l, right.count] : [r, left.count];
      const chance = sought * Math.exp(-(pool.rarity[seeker] as number));
      if (chance > MOST_CHANCE || left.size(l) > 1 || right.size(r) > 1) continue;
      const [one, other] = [left.line(l), right.line(r)];
      if (
        state.pendingReversals.left.has(one) ||
        state.pendingReversals.right.has(other) ||
        state.isRejected([one], [other])
      )
        continue;
      const verdict = {
        basis: BASIS.unique,
        held: HELD.score,
        score: SCORE * (1 - chance),
        margin: -Math.log(chance),
        note: NOTE,
      };
      const ruleOf = decidingRule(state, ofEqualAmounts, ruleIndex, one, other);
      state.decide(ruleOf, [one], [other], verdict);
    }
  }
}

/** @param others if given, only amounts that one of them has. */
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
