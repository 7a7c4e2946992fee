import { DEFAULT_RULES } from "../rules.ts";
import { BUSINESSES } from "./datasets/businesses.ts";
import { withNeighbours } from "./datasets/neighbours.ts";
import { countContradicting, runOn } from "./first-run.ts";
import { MONTHS } from "./holdout.ts";
import { judge } from "./judge.ts";
import { f1, recall } from "./measure.ts";
import { sumOf } from "./quality.ts";

const DATASETS = [...BUSINESSES, ...MONTHS];
const LINES = 1000;
const LINES_WITH_NEIGHBORS = 400;

/** Judges the engine as it is loaded, with an item left out or not. */
export function judgeAblated(seeds: readonly number[]) {
  const forEachDataset = <Value>(
    evaluate: (dataset: (typeof DATASETS)[number], seed: number) => Value,
  ) => seeds.flatMap((seed) => DATASETS.map((dataset) => evaluate(dataset, seed)));
  const { all, automatic } = sumOf(
    forEachDataset((dataset, seed) => judge(dataset(seed, LINES), DEFAULT_RULES)),
  );
  const contradicting = forEachDataset((dataset, seed) => {
    const hard = withNeighbours(dataset(seed, LINES_WITH_NEIGHBORS), seed);
    return countContradicting(hard, runOn(hard, "as_ruled").found);
  });
  return {
    f1: f1(all),
    wrong: automatic.found - automatic.right,
    found: automatic.found,
    recall: recall(automatic),
    contradicting: contradicting.reduce((sum, value) => sum + value, 0),
  };
}
