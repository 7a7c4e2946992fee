/**
 * Explains why a match was made, or was only suggested. Explanations are composed on demand, so
 * that a run need not compose a million of them in advance.
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
   * How much of the rule's tolerances was used: minor units, and days from left to right, which are
   * business days if the rule counts in them.
   */
  tolerance: {
    amount_used_minor: string;
    amount_allowed_minor: number;
    days: number;
    days_before: number | null;
    days_after: number | null;
  } | null;
  /**
   * The line that was the second-best counterpart, by the caller's handle. Null if there was no
   * other.
   */
  runner_up: { side: Side; handle: number } | null;
  /** By how many nats the runner-up is behind; null without a runner-up. */
  margin: number | null;
  /** Why the match is only suggested; null for a confirmed match. */
  held: HeldName | null;
  /** Sentences about what no field shows; null if there is nothing to add. */
  note: string | null;
};

/** @param index the position of the match in `result.confirmed` or `result.suggested`. */
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
  const weighing = weighAgain(result.weighed.get(ruleIndex), matches, index);
  const explained = explainLines(
    rules[ruleIndex] as Rule,
    Array.from(matches.left(index), (line) => plainLine(left, line)),
    Array.from(matches.right(index), (line) => plainLine(right, line)),
    { weights: weighing?.nats ?? null, businessDays: result.input.businessDays },
  );
  const notes = [
    verdict.note,
    ...result.contradictions
      .of(matches.left(index), matches.right(index))
      .map(
        (contradiction) =>
          `The ${contradiction.field} differs: ${contradiction.left} / ${contradiction.right}.`,
      ),
    weighing && isBeyondWindow(explained.tolerance) ? BEYOND_WINDOW : null,
    weighing ? weighing.slips : verdict.held === HELD.no ? null : slipOf(result, matches, index),
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
 * Explains lines and the rule that matched them without the result of the run. For an exact match
 * this is the complete explanation.
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
  const isTwoSided = left.length > 0 && right.length > 0;
  const [leftSum, rightSum] = [
    sum(left.map((line) => line.amount_minor)),
    sum(right.map((line) => line.amount_minor)),
  ];
  const difference = leftSum - rightSum;
  const dayNumber = daysOf(rule, businessDays);
  return {
    rule: rule.name,
    basis: "unique",
    fields: compareFields(left, right, weights),
    tolerance: isTwoSided
      ? {
          amount_used_minor: String(difference < 0n ? -difference : difference),
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

const BEYOND_WINDOW =
  "The days lie farther apart than the rule says, as " +
  "those of other sure matches of these sources do.";

function isBeyondWindow(tolerance: Explanation["tolerance"]): boolean {
  if (!tolerance) return false;
  return (
    tolerance.days < -(tolerance.days_before ?? 0) || tolerance.days > (tolerance.days_after ?? 0)
  );
}

/** Describes the typing slip by which the totals of both sides differ; null if there is none. */
function slipOf(result: Result, matches: Matches, index: number): string | null {
  const totalOf = (side: Side) =>
    Number(
      sum(Array.from(matches[side](index), (line) => result.input[side].amount[line] as number)),
    );
  return describeAmountSlip(totalOf("left"), totalOf("right"));
}

const nodesOfLines = new WeakMap<Nodes, Map<number, number>>();

/**
 * Weighs the lines of a match again with the model of the run. Returns the evidence of each field
 * and the slips between the lines; null unless a weighing rule matched one line with one line.
 */
function weighAgain(
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
