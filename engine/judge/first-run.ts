/**
 * What a new pair gets of its first run, without any decision, and whether anything is matched
 * against what the lines say.
 */
import { match } from "../engine.ts";
import { checkInvariants } from "../invariants.ts";
import { DEFAULT_RULES } from "../rules.ts";
import { MONTHS } from "./holdout.ts";
import { type Found, foundIn, linesOf, measure, pairsOf, precision, recall } from "./measure.ts";
import { total } from "./quality.ts";
import { count, share, table } from "./report.ts";
import { BUSINESSES } from "./worlds/businesses.ts";
import {
  handfuls,
  type Neighboured,
  withNeighbours,
  withReferencesInTexts,
} from "./worlds/neighbours.ts";
import type { World } from "./worlds/world.ts";

const LINES = 1000;
const WORLDS = [...BUSINESSES, ...MONTHS];

type Mode = "as_ruled" | "suggest_only";
type Ran = { world: World; found: Found[] };

export function ran(world: World, automatic: Mode): Ran {
  const result = match({
    left: linesOf("left", world.left),
    right: linesOf("right", world.right),
    rules: DEFAULT_RULES,
    automatic,
  });
  const violations = checkInvariants(result);
  if (violations.length > 0) throw new Error(`${world.name}: ${violations[0]}`);
  return { world, found: foundIn(result, world) };
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
  const rows: [name: string, worlds: (seed: number) => World[]][] = [
    [
      "with contradicting neighbours",
      (seed) => WORLDS.map((world) => withNeighbours(world(seed, LINES), seed)),
    ],
    [
      "references in texts alone",
      (seed) => WORLDS.map((world) => withReferencesInTexts(world(seed, LINES))),
    ],
    [
      "pairs of 2 to 20 lines",
      (seed) => WORLDS.flatMap((world) => handfuls(world(seed, LINES), seed)),
    ],
  ];
  return `## The first run of a new pair

All worlds of both hands, ${seeds.length} seeds each, default rules. With \`suggest_only\` a pair has no decision yet: what is matched is what the lines
say beyond doubt. Goals: none against a contradiction, precision .9999.

${table(
  ["", "Mode", "Automatic: precision", "wrong", "of true", "against a contradiction"],
  rows.flatMap(([name, worlds]) =>
    (["suggest_only", "as_ruled"] as const).map((mode) => {
      const runs = seeds.flatMap((seed) => worlds(seed).map((world) => ran(world, mode)));
      const { automatic } = total(runs.map(({ world, found }) => measure(world, found)));
      const against = runs.reduce(
        (sum, { world, found }) =>
          sum + ("neighbours" in world ? againstContradictions(world as Neighboured, found) : 0),
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
export function wrongPairs({ world, found }: Ran): Found[] {
  const truth = new Set(world.truth.flatMap(({ left, right }) => pairsOf(left, right)));
  return found.filter(
    ({ automatic, left, right }) =>
      automatic && pairsOf(left, right).some((pair) => !truth.has(pair)),
  );
}
