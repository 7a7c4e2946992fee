/**
 * Judges runs with news: a full run over most lines of a month, then a run with the others as news,
 * compared with the truth and with a full run over all lines.
 */
import { match, type Result, runWithNews } from "../engine.ts";
import type { Estimates } from "../evidence/estimates.ts";
import type { Matches } from "../matches.ts";
import { leadingExactRules } from "../passes.ts";
import { finished } from "../progress.ts";
import { DEFAULT_RULES, type Rule } from "../rules.ts";
import type { LineFlags } from "../side.ts";
import type { Dataset, DatasetLine } from "./datasets/dataset.ts";
import { type Found, foundIn, linesOf } from "./measure.ts";

export type JudgedNews = {
  /** The lines that were weighed after the leading exact rules. */
  dataset: Dataset;
  /** Matches and suggestions with a fresh line; null if the run left them to a full one. */
  found: Found[] | null;
  full: Found[];
  result: Result | null;
  estimates: Estimates;
  milliseconds: { full: number; withNews: number };
};

/** Treats each line that `isFresh` says as new. */
export function judgeNews(
  dataset: Dataset,
  isFresh: (line: DatasetLine) => boolean,
  rules: readonly Rule[] = DEFAULT_RULES,
): JudgedNews {
  const before = withLines(dataset, (line) => !isFresh(line));
  const first = match({ ...columnsOf(before), rules });
  const matchedBefore = identitiesIn(before, first.confirmed);
  const leading = match({ ...columnsOf(dataset), rules: leadingExactRules(rules) });
  const settled = identitiesIn(dataset, leading.confirmed);
  const weighed = withLines(dataset, ({ identity }) => !settled.has(identity));
  const matchedFlags = flagsOf(weighed, ({ identity }) => matchedBefore.has(identity));
  const freshFlags = flagsOf(weighed, isFresh);
  const input = { ...columnsOf(weighed), rules };
  const startedAt = performance.now();
  const full = match(input);
  const fullAt = performance.now();
  // As they are stored.
  const estimates: Estimates = JSON.parse(JSON.stringify(first.estimates));
  const result = finished(
    runWithNews(input, { estimates, fresh: freshFlags, matched: matchedFlags }),
  );
  const endedAt = performance.now();
  const fresh = new Set(
    [...weighed.left, ...weighed.right].filter(isFresh).map(({ identity }) => identity),
  );
  const hasFresh = ({ left, right }: Found) => [...left, ...right].some((line) => fresh.has(line));
  return {
    dataset: weighed,
    found: result && foundIn(result, weighed).filter(hasFresh),
    full: foundIn(full, weighed).filter(hasFresh),
    result,
    estimates,
    milliseconds: { full: fullAt - startedAt, withNews: endedAt - fullAt },
  };
}

function columnsOf({ left, right }: Dataset) {
  return { left: linesOf("left", left), right: linesOf("right", right) };
}

function withLines(dataset: Dataset, isIncluded: (line: DatasetLine) => boolean): Dataset {
  return {
    ...dataset,
    left: dataset.left.filter(isIncluded),
    right: dataset.right.filter(isIncluded),
  };
}

function identitiesIn({ left, right }: Dataset, matches: Matches): Set<string> {
  const found = new Set<string>();
  for (let index = 0; index < matches.length; index++) {
    for (const line of matches.left(index)) found.add((left[line] as DatasetLine).identity);
    for (const line of matches.right(index)) found.add((right[line] as DatasetLine).identity);
  }
  return found;
}

function flagsOf({ left, right }: Dataset, isSet: (line: DatasetLine) => boolean): LineFlags {
  return {
    left: Uint8Array.from(left, (line) => (isSet(line) ? 1 : 0)),
    right: Uint8Array.from(right, (line) => (isSet(line) ? 1 : 0)),
  };
}
