/**
 * What a new pair gets of its first run, without any decision, and whether anything is matched
 * against what the lines say.
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
const WORLDS = [...BUSINESSES, ...MONTHS];

type Mode = "as_ruled" | "suggest_only";
type Ran = { dataset: Dataset; found: Found[] };

export function runOn(dataset: Dataset, automatic: Mode): Ran {
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

/** Automatic matches that have a neighbour for its line: against a contradiction, all of them. */
export function againstContradictions(
  { neighbours }: Neighboured,
  found: readonly Found[],
): number {
  return found.filter(
    ({ automatic, left, right }) =>
      automatic && left.length > 0 && right.some((identity) => neighbours.has(identity)),
  ).length;
}

export function firstRuns(seeds: readonly number[]): string {
  const rows: [name: string, datasets: (seed: number) => Dataset[]][] = [
    [
      "with contradicting neighbours",
      (seed) => WORLDS.map((dataset) => withNeighbours(dataset(seed, LINES), seed)),
    ],
    [
      "references in texts alone",
      (seed) => WORLDS.map((dataset) => withReferencesInTexts(dataset(seed, LINES))),
    ],
    [
      "pairs of 2 to 20 lines",
      (seed) => WORLDS.flatMap((dataset) => smallLots(dataset(seed, LINES), seed)),
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
      const against = runs.reduce(
        (sum, { dataset, found }) =>
          sum +
          ("neighbours" in dataset ? againstContradictions(dataset as Neighboured, found) : 0),
        0,
      );
      return [
        name,
        mode,
        share(precision(automatic), 5),
        `${count(automatic.found - automatic.right)} of ${count(automatic.found)}`,
        share(recall(automatic), 3),
        count(against),
      ];
    }),
  ),
)}`;
}

/** Wrong automatic pairs, for who tunes the engine. */
export function wrongPairs({ dataset, found }: Ran): Found[] {
  const truth = new Set(dataset.truth.flatMap(({ left, right }) => pairsOf(left, right)));
  return found.filter(
    ({ automatic, left, right }) =>
      automatic && pairsOf(left, right).some((pair) => !truth.has(pair)),
  );
}
