/**
 * Judges the engine on the holdout months, which were not written for it: with the seeds that it
 * was tuned on, and with the seeds that are reserved for the final figures.
 */
import { DEFAULT_RULES, type Rule } from "../rules.ts";
import { companyCards, distributor, manufacturer } from "./datasets/conventions/months.ts";
import type { Dataset, TrueMatch } from "./datasets/dataset.ts";
import { describeMatch } from "./describe.ts";
import { type Judged, judge } from "./judge.ts";
import { type Found, pairsOf, precision, recall } from "./measure.ts";
import { qualityTable, sumOf } from "./quality.ts";
import { count, share, table } from "./report.ts";

export const MONTHS = [distributor, manufacturer, companyCards];
/** The lines of these seeds may be examined. */
const TUNING_SEEDS = [1, 2, 3, 4, 5];
/** The lines of these seeds are never shown or examined, only judged. */
const FINAL_SEEDS = [101, 102, 103, 104, 105];
const LINES = 1000;
const EXAMPLES = 20;

export function holdout(): string {
  const [tuned, final] = [judgeMonths(TUNING_SEEDS), judgeMonths(FINAL_SEEDS)];
  return `## Holdout months

Three months modelled on published descriptions of bank, card and ledger data (\`judge/datasets/conventions\`), written before the engine's rules
were looked at; default rules, about ${count(LINES)} lines on the left, five seeds each. Seeds 1 to 5 may be looked at, of seeds 101 to 105 only the figures.
Targets: F1 0.97, automatic precision 0.998.

${figures("Seeds 101 to 105", final)}

${figures("Seeds 1 to 5", tuned)}

Wrong automatic matches of seeds 1 to 5, ${EXAMPLES} at most:

${wrongExamples(tuned.flat())}`;
}

/** The report for tuning the engine: without the final seeds, and with missed matches. */
export function tuning(): string {
  const runs = judgeMonths(TUNING_SEEDS);
  return `${figures("Seeds 1 to 5", runs)}

Wrong automatic matches:

${wrongExamples(runs.flat())}

Missed or only in part, in turns over the kinds:

${missedExamples(runs.flat())}`;
}

function judgeMonths(seeds: readonly number[]): Judged[][] {
  return MONTHS.map((month) => seeds.map((seed) => judge(month(seed, LINES), DEFAULT_RULES)));
}

function figures(name: string, months: readonly Judged[][]): string {
  const runs = months.flat();
  const slowest = (monthRuns: readonly Judged[]) =>
    Math.max(...monthRuns.map(({ milliseconds }) => milliseconds));
  const monthName = (monthRuns: readonly Judged[]) =>
    (monthRuns[0] as Judged).dataset.name.replace(/, seed .*/, "");
  return `${name}:

${qualityTable([...months.map((month) => [monthName(month), sumOf(month), slowest(month)] as const), ["all", sumOf(runs), slowest(runs)]])}

${rulesTable(runs)}

${table(
  ["Kind", "True pairs", "Found"],
  [...sumOf(runs).byKind]
    .sort()
    .map(([kind, counts]) => [kind, count(counts.true), share(recall(counts), 3)]),
)}`;
}

/** For each rule: the pairs in its matches, and how many of them are true. */
function rulesTable(runs: readonly Judged[]): string {
  const rows = DEFAULT_RULES.map(({ name }: Rule, rule) => {
    const cellsOf = (automatic: boolean) => {
      const counts = { found: 0, right: 0, true: 0 };
      for (const { dataset, found } of runs) {
        const truth = truePairs(dataset);
        for (const match of found) {
          if (match.rule !== rule || match.automatic !== automatic) continue;
          const pairs = pairsOf(match.left, match.right);
          counts.found += pairs.length;
          counts.right += pairs.filter((pair) => truth.has(pair)).length;
        }
      }
      return [count(counts.found), count(counts.found - counts.right), share(precision(counts))];
    };
    return [name, ...cellsOf(true), ...cellsOf(false)];
  });
  return table(
    ["Rule", "Automatic: pairs", "wrong", "precision", "Suggested: pairs", "wrong", "precision"],
    rows,
  );
}

function wrongExamples(runs: readonly Judged[]): string {
  const examples = runs.flatMap(({ dataset, found }) => {
    const truth = truePairs(dataset);
    return found
      .filter(
        (match) =>
          match.automatic && pairsOf(match.left, match.right).some((pair) => !truth.has(pair)),
      )
      .map((match) => {
        const rule = (DEFAULT_RULES[match.rule] as Rule).name;
        return `${rule} at ${match.score.toFixed(3)} (${dataset.name}): ${describeMatch(dataset, match.left, match.right)}. ${whyWrong(dataset, match)}`;
      });
  });
  return numbered(examples.slice(0, EXAMPLES)) || "None.";
}

function whyWrong(dataset: Dataset, match: Found): string {
  const lines = new Set([...match.left, ...match.right]);
  const truths = dataset.truth.filter(({ left, right }) =>
    [...left, ...right].some((line) => lines.has(line)),
  );
  if (truths.length === 0) return "Both have no counterpart.";
  return truths
    .map(({ kind, left, right }) => `True (${kind}): ${describeMatch(dataset, left, right)}`)
    .join(". ");
}

/** Examples in turns over kinds, so that a frequent kind doesn't hide the others. */
function missedExamples(runs: readonly Judged[]): string {
  const byKind = new Map<string, string[]>();
  for (const { dataset, found } of runs) {
    const pairs = new Set(found.flatMap(({ left, right }) => pairsOf(left, right)));
    for (const match of dataset.truth) {
      if (pairsOf(match.left, match.right).every((pair) => pairs.has(pair))) continue;
      const description = `${match.kind} (${dataset.name}): ${describeMatch(dataset, match.left, match.right)}. ${describeFound(dataset, found, match)}`;
      byKind.set(match.kind, [...(byKind.get(match.kind) ?? []), description]);
    }
  }
  const lists = [...byKind.values()];
  const turns = Array.from(
    { length: Math.max(0, ...lists.map(({ length }) => length)) },
    (_, turn) => lists.flatMap((list) => list[turn] ?? []),
  );
  return numbered(turns.flat().slice(0, 3 * EXAMPLES));
}

function describeFound(
  dataset: Dataset,
  found: readonly Found[],
  { left, right }: TrueMatch,
): string {
  const lines = new Set([...left, ...right]);
  const overlapping = found.filter((match) =>
    [...match.left, ...match.right].some((line) => lines.has(line)),
  );
  if (overlapping.length === 0) return "Left open.";
  return overlapping
    .map(
      (match) =>
        `Found (${match.automatic ? "automatic" : "suggested"}): ${describeMatch(dataset, match.left, match.right)}`,
    )
    .join(". ");
}

function truePairs(dataset: Dataset): Set<string> {
  return new Set(dataset.truth.flatMap(({ left, right }) => pairsOf(left, right)));
}

function numbered(examples: readonly string[]): string {
  return examples.map((example, at) => `${at + 1}. ${example}`).join("\n");
}
