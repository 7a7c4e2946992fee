import { DEFAULT_RULES } from "../rules.ts";
import { againstContradictions, ran } from "./first-run.ts";
import { judge } from "./judge.ts";
import { f1, recall } from "./measure.ts";
import { MONTHS } from "./other-hand.ts";
import { sumOf } from "./quality.ts";
import { BUSINESSES } from "./worlds/businesses.ts";
import { withNeighbours } from "./worlds/neighbours.ts";

const WORLDS = [...BUSINESSES, ...MONTHS];
const LINES = 1000;
const NEIGHBOURED_LINES = 400;

/** Figures of the engine as it is loaded. */
export function judgeWithout(seeds: readonly number[]) {
  const worlds = <World>(of: (world: (typeof WORLDS)[number], seed: number) => World) =>
    seeds.flatMap((seed) => WORLDS.map((world) => of(world, seed)));
  const { all, automatic } = sumOf(
    worlds((world, seed) => judge(world(seed, LINES), DEFAULT_RULES)),
  );
  const against = worlds((world, seed) => {
    const hard = withNeighbours(world(seed, NEIGHBOURED_LINES), seed);
    return againstContradictions(hard, ran(hard, "as_ruled").found);
  });
  return {
    f1: f1(all),
    wrong: automatic.found - automatic.right,
    found: automatic.found,
    share: recall(automatic),
    against: against.reduce((sum, value) => sum + value, 0),
  };
}
