/**
 * Measures the first run of a new pair of sources, without any decisions, and whether it matches
 * lines that contradict each other.
 */
import { match } from "../engine.ts";
import { checkInvariants } from "../invariants.ts";
import { DEFAULT_RULES } from "../rules.ts";
import { BUSINESSES } from "./datasets/businesses.ts";
import type { Dataset } from "./datasets/dataset.ts";
import {
  type Neighboured,
  smallLots,
  withNeighbours,
  withReferencesInTexts,
} from "./datasets/neighbours.ts";
import { MONTHS } from "./holdout.ts";
import { type Found, foundIn, linesOf, measure, pairsOf, precision, recall } from "./measure.ts";
import { total } from "./quality.ts";
import { count, share, table } from "./report.ts";

const LINES = 1000;
const DATASETS = [...BUSINESSES, ...MONTHS];

type Mode = "as_ruled" | "suggest_only";
type FirstRun = { dataset: Dataset; found: Found[] };

export function runOn(dataset: Dataset, automatic: Mode): FirstRun {
  const result = match({
    left: linesOf("left", dataset.left),
    right: linesOf("right", dataset.right),
    rules: DEFAULT_RULES,
    automatic,
  });
  const violations = checkInvariants(result);
  if (violations.length > 0) throw new Error(`${dataset.name}: ${violations[0]}`);
  return { dataset, found: foundIn(result, dataset) };
}

/** Counts automatic matches with a neighbor of the true line. Each of them has a contradiction. */
export function countContradicting({ neighbours }: Neighboured, found: readonly Found[]): number {
  return found.filter(
    ({ automatic, left, right }) =>
      automatic && left.length > 0 && right.some((identity) => neighbours.has(identity)),
  ).length;
}

export function firstRuns(seeds: readonly number[]): string {
  const rows: [name: string, datasets: (seed: number) => Dataset[]][] = [
    [
      "with contradicting neighbours",
      (seed) => DATASETS.map((dataset) => withNeighbours(dataset(seed, LINES), seed)),
    ],
    [
      "references in texts alone",
      (seed) => DATASETS.map((dataset) => withReferencesInTexts(dataset(seed, LINES))),
    ],
    [
      "pairs of 2 to 20 lines",
      (seed) => DATASETS.flatMap((dataset) => smallLots(dataset(seed, LINES), seed)),
    ],
  ];
  return `## The first run of a new pair

All datasets, our own and the holdout, ${seeds.length} seeds each, default rules. With \`suggest_only\` a pair has no decision yet: what is matched is what the lines
say beyond doubt. Goals: none against a contradiction, precision .9999.

${table(
  ["", "Mode", "Automatic: precision", "wrong", "of true", "against a contradiction"],
  rows.flatMap(([name, datasets]) =>
    (["suggest_only", "as_ruled"] as const).map((mode) => {
      const runs = seeds.flatMap((seed) => datasets(seed).map((dataset) => runOn(dataset, mode)));
      const { automatic } = total(runs.map(({ dataset, found }) => measure(dataset, found)));
      const contradicting = runs.reduce(
        (sum, { dataset, found }) =>
          sum + ("neighbours" in dataset ? countContradicting(dataset as Neighboured, found) : 0),
        0,
      );
      return [
        name,
        mode,
        share(precision(automatic), 5),
        `${count(automatic.found - automatic.right)} of ${count(automatic.found)}`,
        share(recall(automatic), 3),
        count(contradicting),
      ];
    }),
  ),
)}`;
}

/** Wrong automatic matches, for tuning the engine. */
export function wrongPairs({ dataset, found }: FirstRun): Found[] {
  const truth = new Set(dataset.truth.flatMap(({ left, right }) => pairsOf(left, right)));
  return found.filter(
    ({ automatic, left, right }) =>
      automatic && pairsOf(left, right).some((pair) => !truth.has(pair)),
  );
}
