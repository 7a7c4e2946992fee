import { DEFAULT_RULES } from "../rules.ts";
import { BUSINESSES } from "./datasets/businesses.ts";
import { withNeighbours } from "./datasets/neighbours.ts";
import { againstContradictions, runOn } from "./first-run.ts";
import { MONTHS } from "./holdout.ts";
import { judge } from "./judge.ts";
import { f1, recall } from "./measure.ts";
import { sumOf } from "./quality.ts";

const WORLDS = [...BUSINESSES, ...MONTHS];
const LINES = 1000;
const NEIGHBOURED_LINES = 400;

/** Figures of the engine as it is loaded. */
export function judgeWithout(seeds: readonly number[]) {
  const datasets = <World>(of: (dataset: (typeof WORLDS)[number], seed: number) => World) =>
    seeds.flatMap((seed) => WORLDS.map((dataset) => of(dataset, seed)));
  const { all, automatic } = sumOf(
    datasets((dataset, seed) => judge(dataset(seed, LINES), DEFAULT_RULES)),
  );
  const against = datasets((dataset, seed) => {
    const hard = withNeighbours(dataset(seed, NEIGHBOURED_LINES), seed);
    return againstContradictions(hard, runOn(hard, "as_ruled").found);
  });
  return {
    f1: f1(all),
    wrong: automatic.found - automatic.right,
    found: automatic.found,
    share: recall(automatic),
    against: against.reduce((sum, value) => sum + value, 0),
  };
}
