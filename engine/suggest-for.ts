/** Suggests counterparts of one line on demand: lines and sums, the most probable first. */

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
   * Open lines of the other side that may be counterparts. The caller limits their number, usually
   * to a few hundred.
   */
  candidates: readonly Line[];
  rules: readonly Rule[];
  weights?: Weights | null;
  rejected?: ReadonlySet<string>;
  businessDays?: BusinessDays;
};

const MAX_SUGGESTIONS = 5;

/** Applies the rules repeatedly, each time without the candidates suggested before. */
export function suggestFor({
  line,
  side,
  candidates,
  rules,
  weights = null,
  rejected,
  businessDays = mondayToFriday,
}: SuggestInput): Suggestion[] {
  // Reversal rules match candidates with each other, not with the line.
  const twoSidedRules = rules.filter(({ kind }) => kind !== "reversal");
  const suggestRules = twoSidedRules.map(
    (rule): Rule => ({
      ...rule,
      then: "suggest",
      ...(rule.kind === "exact" ? {} : widenWindow(rule)),
    }),
  );
  const names = new Names(weights?.names);
  const withKnownName = (item: Line, itemSide: Side): Line =>
    itemSide === "right" ? { ...item, known_as: names.of(item) } : item;
  const otherSide = opposite(side);
  const suggestions: Suggestion[] = [];
  const excluded = new Set<number>();
  let allWrongSoFar = 1;
  for (
    let round = 0;
    round < MAX_SUGGESTIONS * 2 && suggestions.length < MAX_SUGGESTIONS;
    round++
  ) {
    const ownLines = new Lines(side, 1);
    ownLines.add(withKnownName(line, side));
    const otherLines = new Lines(otherSide, candidates.length);
    for (const candidate of candidates)
      if (!excluded.has(candidate.handle)) otherLines.add(withKnownName(candidate, otherSide));
    const [left, right] = side === "left" ? [ownLines, otherLines] : [otherLines, ownLines];
    const result = match({ left, right, rules: suggestRules, weights, rejected, businessDays });
    if (result.suggested.length === 0) break;
    for (let index = 0; index < result.suggested.length; index++) {
      const suggestion = suggestionOf(result, index, side);
      // A suggestion can only be right if all suggestions before it are wrong.
      suggestions.push({ ...suggestion, score: suggestion.score * allWrongSoFar });
      allWrongSoFar *= 1 - Math.min(0.999, suggestion.score);
      // Only the first line of a sum is excluded: another sum may contain the others.
      excluded.add(suggestion.handles[0] as number);
    }
  }
  return suggestions.sort((a, b) => b.score - a.score).slice(0, MAX_SUGGESTIONS);
}

function widenWindow(rule: Rule): Partial<Rule> {
  return {
    days_before: Math.min(MAX_DAYS, (rule.days_before ?? 0) * 2),
    days_after: Math.min(MAX_DAYS, (rule.days_after ?? 0) * 2),
  };
}

function suggestionOf(result: Result, index: number, side: Side): Suggestion {
  const other = opposite(side);
  return {
    handles: Array.from(
      result.suggested[other](index),
      (at) => result.input[other].handle[at] as number,
    ),
    rule: (result.input.rules[result.suggested.rule[index] as number] as Rule).name,
    score: result.suggested.score[index] as number,
    // Notes count similar matches in a run, which a few candidates can't show.
    explanation: { ...explain(result, "suggested", index), note: null },
  };
}
