/** Compares matches with the truth: pairs of a left and a right line, and whole groups. */
import type { Result } from "../engine.ts";
import { Lines } from "../lines.ts";
import type { Matches } from "../matches.ts";
import type { Dataset, DatasetLine } from "./datasets/dataset.ts";

/** A match that was found, by the identities of its lines. */
export type Found = {
  left: string[];
  right: string[];
  automatic: boolean;
  score: number;
  rule: number;
};

/** `found`: all pairs or groups found. `right`: those that are true. `true`: all in the truth. */
export type Counts = { found: number; right: number; true: number };
export type Quality = {
  all: Counts;
  automatic: Counts;
  suggested: Counts;
  groups: Counts;
  byKind: Map<string, Counts>;
};

export function linesOf(side: "left" | "right", lines: readonly DatasetLine[]): Lines {
  const columns = new Lines(side, lines.length);
  for (const [handle, line] of lines.entries()) columns.add({ ...line, handle });
  return columns;
}

export function foundIn(result: Result, dataset: Dataset): Found[] {
  const read = (matches: Matches, automatic: boolean): Found[] =>
    Array.from({ length: matches.length }, (_, index) => ({
      left: Array.from(matches.left(index), (line) => (dataset.left[line] as DatasetLine).identity),
      right: Array.from(
        matches.right(index),
        (line) => (dataset.right[line] as DatasetLine).identity,
      ),
      automatic,
      score: matches.score[index] as number,
      rule: matches.rule[index] as number,
    }));
  return [...read(result.confirmed, true), ...read(result.suggested, false)];
}

export function measure(dataset: Dataset, found: readonly Found[]): Quality {
  const kindOf = new Map<string, string>();
  const groups = new Set<string>();
  const byKind = new Map<string, Counts>();
  for (const { kind, left, right } of dataset.truth) {
    groups.add(groupKey(left, right));
    for (const pair of pairsOf(left, right)) {
      kindOf.set(pair, kind);
      countsOf(byKind, kind).true += 1;
    }
  }
  const all: Counts = { found: 0, right: 0, true: kindOf.size };
  const automatic: Counts = { found: 0, right: 0, true: kindOf.size };
  const suggested: Counts = { found: 0, right: 0, true: kindOf.size };
  const whole: Counts = { found: found.length, right: 0, true: dataset.truth.length };
  for (const match of found) {
    if (groups.has(groupKey(match.left, match.right))) whole.right += 1;
    const counts = match.automatic ? automatic : suggested;
    for (const pair of pairsOf(match.left, match.right)) {
      all.found += 1;
      counts.found += 1;
      const kind = kindOf.get(pair);
      if (kind === undefined) continue;
      all.right += 1;
      counts.right += 1;
      countsOf(byKind, kind).right += 1;
    }
  }
  return { all, automatic, suggested, groups: whole, byKind };
}

/** The pairs across the sides of a match. For a reversal, the pairs among its lines. */
export function pairsOf(left: readonly string[], right: readonly string[]): string[] {
  if (left.length > 0 && right.length > 0)
    return left.flatMap((l) => right.map((r) => `${l} ${r}`));
  const side = [...left, ...right].sort();
  return side.flatMap((value, at) => side.slice(at + 1).map((other) => `${value} ${other}`));
}

export function precision({ found, right }: Counts): number {
  return found === 0 ? 1 : right / found;
}

export function recall(counts: Counts): number {
  return counts.true === 0 ? 1 : counts.right / counts.true;
}

export function f1(counts: Counts): number {
  return counts.found + counts.true === 0 ? 1 : (2 * counts.right) / (counts.found + counts.true);
}

function groupKey(left: readonly string[], right: readonly string[]): string {
  return `${[...left].sort().join(" ")}|${[...right].sort().join(" ")}`;
}

function countsOf(byKind: Map<string, Counts>, kind: string): Counts {
  let counts = byKind.get(kind);
  if (!counts) {
    counts = { found: 0, right: 0, true: 0 };
    byKind.set(kind, counts);
  }
  return counts;
}
