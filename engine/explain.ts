/**
 * Why a match was made, or only suggested: composed on demand, so that a million matches need not
 * be explained in advance.
 */

import type { Weighed } from "./assignment/by-evidence.ts";
import type { Result } from "./engine.ts";
import { describeAmountSlip, describeSlips } from "./evidence/describe-slips.ts";
import { EVIDENCE_FIELDS, Evidence } from "./evidence/evidence.ts";
import {
  compareFields,
  type FieldComparison,
  type PlainLine,
  plainLine,
} from "./evidence/fields.ts";
import { BASIS, HELD, type Matches } from "./matches.ts";
import { toleranceFor, toleranceOf } from "./prepare/amounts.ts";
import { type BusinessDays, daysOf, mondayToFriday } from "./prepare/days.ts";
import type { Nodes } from "./prepare/nodes.ts";
import { sum } from "./prepare/sum.ts";
import type { Rule } from "./rules.ts";
import type { Side } from "./side.ts";

export type BasisName = keyof typeof BASIS;
export type HeldName = Exclude<keyof typeof HELD, "no">;

export type Explanation = {
  rule: string;
  basis: BasisName;
  fields: FieldComparison[];
  /**
   * What of the rule's tolerances was used: minor units, and days from left to right, business days
   * where the rule counts those.
   */
  tolerance: {
    amount_used_minor: string;
    amount_allowed_minor: number;
    days: number;
    days_before: number | null;
    days_after: number | null;
  } | null;
  /**
   * The runner-up line, by the caller's handle, and by how many nats it is behind; null without
   * one.
   */
  runner_up: { side: Side; handle: number } | null;
  /** Null without a runner-up. */
  margin: number | null;
  /** Why it is a suggestion and not a match; null for a match. */
  held: HeldName | null;
  /** A sentence about what no field shows; null if there is nothing to add. */
  note: string | null;
};

/** @param index of the match among `result.confirmed` or `result.suggested`. */
export function explain(
  result: Result,
  state: "confirmed" | "suggested",
  index: number,
): Explanation {
  const { left, right, rules } = result.input;
  const matches = result[state];
  const ruleIndex = matches.rule[index] as number;
  const verdict = matches.verdict(index);
  const { runnerUp } = verdict;
  const weighed = weighedAgain(result.weighed.get(ruleIndex), matches, index);
  const explained = explainLines(
    rules[ruleIndex] as Rule,
    Array.from(matches.left(index), (line) => plainLine(left, line)),
    Array.from(matches.right(index), (line) => plainLine(right, line)),
    { weights: weighed?.nats ?? null, businessDays: result.input.businessDays },
  );
  const notes = [
    verdict.note,
    ...result.contradictions
      .of(matches.left(index), matches.right(index))
      .map(
        (contradiction) =>
          `The ${contradiction.field} differs: ${contradiction.left} / ${contradiction.right}.`,
      ),
    weighed && isBeyond(explained.tolerance) ? BEYOND : null,
    weighed ? weighed.slips : verdict.held === HELD.no ? null : slipOf(result, matches, index),
  ].filter((sentence) => sentence);
  return {
    ...explained,
    basis: nameOf(BASIS, verdict.basis) as BasisName,
    runner_up: runnerUp
      ? { side: runnerUp.side, handle: result.input[runnerUp.side].handle[runnerUp.line] as number }
      : null,
    margin: Number.isFinite(verdict.margin) ? Math.round(verdict.margin * 1000) / 1000 : null,
    held: verdict.held === HELD.no ? null : (nameOf(HELD, verdict.held) as HeldName),
    note: notes.length > 0 ? notes.join(" ") : null,
  };
}

/**
 * What can be said about lines and the rule that matched them without the run: everything about an
 * exact match.
 */
export function explainLines(
  rule: Rule,
  left: readonly PlainLine[],
  right: readonly PlainLine[],
  {
    weights = null,
    businessDays = mondayToFriday,
  }: { weights?: ReadonlyMap<string, number> | null; businessDays?: BusinessDays | undefined } = {},
): Explanation {
  const twoSided = left.length > 0 && right.length > 0;
  const [leftSum, rightSum] = [
    sum(left.map((line) => line.amount_minor)),
    sum(right.map((line) => line.amount_minor)),
  ];
  const used = leftSum - rightSum;
  const dayNumber = daysOf(rule, businessDays);
  return {
    rule: rule.name,
    basis: "unique",
    fields: compareFields(left, right, weights),
    tolerance: twoSided
      ? {
          amount_used_minor: String(used < 0n ? -used : used),
          amount_allowed_minor: toleranceFor(toleranceOf(rule), Number(leftSum), Number(rightSum)),
          days:
            dayNumber((right[0] as PlainLine).value_date) -
            dayNumber((left[0] as PlainLine).value_date),
          days_before: rule.days_before ?? null,
          days_after: rule.days_after ?? null,
        }
      : null,
    runner_up: null,
    margin: null,
    held: null,
    note: null,
  };
}

const BEYOND =
  "The days lie farther apart than the rule says, as " +
  "those of other sure matches of these sources do.";

function isBeyond(tolerance: Explanation["tolerance"]): boolean {
  if (!tolerance) return false;
  return (
    tolerance.days < -(tolerance.days_before ?? 0) || tolerance.days > (tolerance.days_after ?? 0)
  );
}

/** The slip that the sums of both sides are apart. */
function slipOf(result: Result, matches: Matches, index: number): string | null {
  const totalOf = (side: Side) =>
    Number(
      sum(Array.from(matches[side](index), (line) => result.input[side].amount[line] as number)),
    );
  return describeAmountSlip(totalOf("left"), totalOf("right"));
}

const nodesOfLines = new WeakMap<Nodes, Map<number, number>>();

/**
 * The evidence of each field, weighed again as it was in the run, and the slips that the lines are
 * apart.
 */
function weighedAgain(
  weighed: Weighed | undefined,
  matches: Matches,
  index: number,
): { nats: Map<string, number>; slips: string | null } | null {
  const [l, ...lefts] = matches.left(index);
  const [r, ...rights] = matches.right(index);
  if (!weighed || l === undefined || r === undefined) return null;
  if (lefts.length + rights.length > 0) return null;
  const evidence = new Evidence(weighed.pool, weighed.model);
  const [left, right] = [nodeOf(weighed.pool.left, l), nodeOf(weighed.pool.right, r)];
  if (left === undefined || right === undefined) return null;
  evidence.weigh(left, right);
  return {
    nats: new Map(
      EVIDENCE_FIELDS.map((field, at) => [
        field,
        Math.round((evidence.nats[at] as number) * 1000) / 1000,
      ]),
    ),
    slips: describeSlips(evidence, weighed.model, left, right),
  };
}

function nodeOf(nodes: Nodes, line: number): number | undefined {
  let nodeOfLine = nodesOfLines.get(nodes);
  if (!nodeOfLine) {
    nodeOfLine = new Map();
    for (let node = 0; node < nodes.count; node++) {
      for (let at = nodes.start[node] as number; at < (nodes.start[node + 1] as number); at++)
        nodeOfLine.set(nodes.member[at] as number, node);
    }
    nodesOfLines.set(nodes, nodeOfLine);
  }
  return nodeOfLine.get(line);
}

function nameOf(names: Record<string, number>, value: number): string | undefined {
  return Object.keys(names).find((name) => names[name] === value);
}
