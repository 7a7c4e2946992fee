/** Counterparts of one line on demand: single lines and sums, the most probable first. */

import { match, type Result } from "./engine.ts";
import { type Explanation, explain } from "./explain.ts";
import { type Line, Lines } from "./lines.ts";
import { Names } from "./names.ts";
import { type BusinessDays, mondayToFriday } from "./prepare/days.ts";
import { MAX_DAYS, type Rule } from "./rules.ts";
import { opposite, type Side } from "./side.ts";
import type { Weights } from "./weights.ts";

export type Suggestion = {
  /** Handles of the lines of the other side. */
  handles: number[];
  rule: string;
  score: number;
  explanation: Explanation;
};

export type SuggestInput = {
  line: Line;
  side: Side;
  /**
   * Open lines of the other side that may be part of it, as many as the caller thinks worth it:
   * some hundreds.
   */
  candidates: readonly Line[];
  rules: readonly Rule[];
  weights?: Weights | null;
  rejected?: ReadonlySet<string>;
  businessDays?: BusinessDays;
};

const MAX_SUGGESTIONS = 5;

/** Asks the rules again and again, each time without what they came up with before. */
export function suggestFor({
  line,
  side,
  candidates,
  rules,
  weights = null,
  rejected,
  businessDays = mondayToFriday,
}: SuggestInput): Suggestion[] {
  // Candidates that cancel each other are no counterparts of the line.
  const twoSided = rules.filter(({ kind }) => kind !== "reversal");
  const requests = twoSided.map(
    (rule): Rule => ({ ...rule, then: "suggest", ...(rule.kind === "exact" ? {} : wider(rule)) }),
  );
  const names = new Names(weights?.names);
  const named = (item: Line, of: Side): Line =>
    of === "right" ? { ...item, known_as: names.of(item) } : item;
  const otherSide = opposite(side);
  const suggestions: Suggestion[] = [];
  const without = new Set<number>();
  let doubt = 1;
  for (
    let round = 0;
    round < MAX_SUGGESTIONS * 2 && suggestions.length < MAX_SUGGESTIONS;
    round++
  ) {
    const own = new Lines(side, 1);
    own.add(named(line, side));
    const other = new Lines(otherSide, candidates.length);
    for (const candidate of candidates)
      if (!without.has(candidate.handle)) other.add(named(candidate, otherSide));
    const [left, right] = side === "left" ? [own, other] : [other, own];
    const result = match({ left, right, rules: requests, weights, rejected, businessDays });
    if (result.suggested.length === 0) break;
    for (let index = 0; index < result.suggested.length; index++) {
      const suggestion = read(result, index, side);
      // It is right only where all before it are wrong.
      suggestions.push({ ...suggestion, score: suggestion.score * doubt });
      doubt *= 1 - Math.min(0.999, suggestion.score);
      // A sum is left out with its first line: another sum may have the others.
      without.add(suggestion.handles[0] as number);
    }
  }
  return suggestions.sort((a, b) => b.score - a.score).slice(0, MAX_SUGGESTIONS);
}

function wider(rule: Rule): Partial<Rule> {
  return {
    days_before: Math.min(MAX_DAYS, (rule.days_before ?? 0) * 2),
    days_after: Math.min(MAX_DAYS, (rule.days_after ?? 0) * 2),
  };
}

function read(result: Result, index: number, side: Side): Suggestion {
  const other = opposite(side);
  return {
    handles: Array.from(
      result.suggested[other](index),
      (at) => result.input[other].handle[at] as number,
    ),
    rule: (result.input.rules[result.suggested.rule[index] as number] as Rule).name,
    score: result.suggested.score[index] as number,
    // How many are equal is known of a run, not of a few candidates.
    explanation: { ...explain(result, "suggested", index), note: null },
  };
}
