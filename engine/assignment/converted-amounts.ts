/**
 * An amount that was converted from another currency differs from the booked amount by the exchange
 * rate. Two open lines are suggested if neither has another candidate of about the same amount on
 * these days, or if only one of the candidates has the same name.
 */

import type { Pool } from "../candidates/pool.ts";
import { Conversions } from "../evidence/conversions.ts";
import { Evidence } from "../evidence/evidence.ts";
import type { Model } from "../evidence/model.ts";
import { BASIS, HELD } from "../matches.ts";
import { type AmountTolerance, reachOf, toleranceOf } from "../prepare/amounts.ts";
import { lowerBound } from "../prepare/lower-bound.ts";
import type { Nodes } from "../prepare/nodes.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Rule } from "../rules.ts";
import { opposite, type Side } from "../side.ts";
import { shareName } from "../sums/cut-names.ts";

/** Below pairs that texts support, and below a lone equal amount. */
const SCORE = 0.4;
/** If both lines also have the same name. */
const NAMED_SCORE = 0.6;
/** The maximum number of lines examined near an amount. */
const MAX_NEAR = 20;
/** The maximum difference between the rates of a bank and of the books, in basis points. */
const MAX_BPS = 200;
const NOTE =
  "The text says that the amount was converted, and no other open line of these days is near it.";
const NAMED_NOTE =
  "The text says that the amount was converted, and no other line of this name is near it.";

/** Only considers lines that are still open and have no better proposal. */
export function proposeConvertedAmounts(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  pool: Pool,
  model: Model,
): void {
  const bps = Math.min(MAX_BPS, toleranceOf(rule).bps);
  const conversions = new Conversions(pool.texts);
  if (bps === 0 || rule.residual === "none" || !conversions.mayOccur) return;
  const free = new FreeNodes(state, pool, model, { minor: 0, bps });
  for (const side of ["left", "right"] as const) {
    const other = opposite(side);
    for (const node of free[side]) {
      if (!conversions.isConverted(side, pool[side].line(node))) continue;
      const near = free.near(side, node);
      const line = pool[side].line(node);
      const [lines, others] = [pool[side].lines, pool[other].lines];
      const named = near.filter((candidate) =>
        shareName(lines, line, others, pool[other].line(candidate)),
      );
      const [found, second] = named.length > 0 ? named : near;
      if (found === undefined || second !== undefined) continue;
      if (named.length === 0 && free.near(other, found).length > 1) continue;
      const otherLine = pool[other].line(found);
      const [l, r] = side === "left" ? [line, otherLine] : [otherLine, line];
      if (state.isRejected([l], [r])) continue;
      state.decide(ruleIndex, [l], [r], {
        basis: BASIS.nearest,
        held: HELD.score,
        score: named.length > 0 ? NAMED_SCORE : SCORE,
        margin: 0,
        note: named.length > 0 ? NAMED_NOTE : NOTE,
      });
    }
  }
}

/** Nodes of one open line each that is in no probable proposal. */
class FreeNodes {
  readonly left: readonly number[];
  readonly right: readonly number[];
  private readonly pool: Pool;
  private readonly evidence: Evidence;
  private readonly tolerance: AmountTolerance;
  private readonly byAmount: Record<Side, { nodes: readonly number[]; amounts: Float64Array }>;

  constructor(state: RunState, pool: Pool, model: Model, tolerance: AmountTolerance) {
    this.pool = pool;
    this.tolerance = tolerance;
    this.evidence = new Evidence(pool, model);
    const proposed = state.proposedAbove(SCORE);
    const freeNodes = (nodes: Nodes) =>
      Array.from({ length: nodes.count }, (_, node) => node).filter((node) => {
        const { side } = nodes.lines;
        const line = nodes.line(node);
        return (
          nodes.size(node) === 1 &&
          nodes.amount[node] !== 0 &&
          state.isOpen(side, line) &&
          !proposed[side].has(line) &&
          !state.pendingReversals[side].has(line)
        );
      });
    this.left = freeNodes(pool.left);
    this.right = freeNodes(pool.right);
    const sortedByAmount = ({ amount }: Nodes, unsorted: readonly number[]) => {
      const nodes = [...unsorted].sort(
        (a, b) => (amount[a] as number) - (amount[b] as number) || a - b,
      );
      return { nodes, amounts: Float64Array.from(nodes, (node) => amount[node] as number) };
    };
    this.byAmount = {
      left: sortedByAmount(pool.left, this.left),
      right: sortedByAmount(pool.right, this.right),
    };
  }

  /**
   * The nodes of the other side near a node's amount, at a distance in days that matches have: at
   * most `MAX_NEAR`.
   */
  near(side: Side, node: number): number[] {
    const other = opposite(side);
    const { nodes, amounts } = this.byAmount[other];
    const { low, high } = reachOf(this.tolerance, this.pool[side].amount[node] as number);
    const found: number[] = [];
    for (let at = lowerBound(amounts, low); (amounts[at] as number) <= high; at++) {
      const candidate = nodes[at] as number;
      const [l, r] = side === "left" ? [node, candidate] : [candidate, node];
      if (this.pool.left.key.equal(l, this.pool.right.key, r) && this.evidence.day(l, r) > 0)
        found.push(candidate);
      if (found.length === MAX_NEAR) break;
    }
    return found;
  }
}
