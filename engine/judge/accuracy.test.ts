import { expect, test } from "vitest";
import { DEFAULT_RULES } from "../rules.ts";
import { BUSINESSES } from "./datasets/businesses.ts";
import { smallLots, withNeighbours } from "./datasets/neighbours.ts";
import { countContradicting, runOn, wrongPairs } from "./first-run.ts";
import { MONTHS } from "./holdout.ts";
import { judge } from "./judge.ts";
import { f1, precision } from "./measure.ts";
import { sumOf } from "./quality.ts";
import { bankTransfers, dropLines, TRANSFER_RULES } from "./tuning-set.ts";

const TIMEOUT_MS = 300_000;

test(
  "bank transfers are matched to the targets, whole and with a fifth of each side missing",
  () => {
    const transfers = bankTransfers();
    for (const [dataset, target] of [
      [transfers, 0.995],
      [dropLines(transfers, 0.2, 11), 0.985],
    ] as const) {
      const { quality } = judge(dataset, TRANSFER_RULES);
      expect(f1(quality.all)).toBeGreaterThanOrEqual(target);
      expect(precision(quality.automatic)).toBeGreaterThanOrEqual(0.999);
    }
  },
  TIMEOUT_MS,
);

test(
  "hold-out months are matched as well as before",
  () => {
    const { all, automatic } = sumOf(
      [1, 2].flatMap((seed) => MONTHS.map((month) => judge(month(seed, 1000), DEFAULT_RULES))),
    );
    expect(f1(all)).toBeGreaterThanOrEqual(0.967);
    expect(precision(automatic)).toBeGreaterThanOrEqual(0.998);
  },
  TIMEOUT_MS,
);

test(
  "no match contradicts its lines, and a new pair's first run makes no mistake",
  () => {
    for (const dataset of [...BUSINESSES, ...MONTHS]) {
      const hard = withNeighbours(dataset(203, 400), 203);
      for (const mode of ["as_ruled", "suggest_only"] as const)
        expect(countContradicting(hard, runOn(hard, mode).found)).toBe(0);
      for (const small of smallLots(dataset(203, 400), 203))
        expect(wrongPairs(runOn(small, "suggest_only"))).toEqual([]);
    }
  },
  TIMEOUT_MS,
);

test(
  "hard months of five kinds of business are matched to the targets by the default rules",
  () => {
    for (const seed of [201, 202]) {
      const qualities = BUSINESSES.map(
        (business) => judge(business(seed, 600), DEFAULT_RULES).quality,
      );
      const sum = (part: "all" | "automatic", count: "found" | "right" | "true") =>
        qualities.reduce((total, quality) => total + quality[part][count], 0);
      const counts = (part: "all" | "automatic") => ({
        found: sum(part, "found"),
        right: sum(part, "right"),
        true: sum(part, "true"),
      });
      expect(f1(counts("all"))).toBeGreaterThanOrEqual(0.97);
      expect(precision(counts("automatic"))).toBeGreaterThanOrEqual(0.998);
    }
  },
  TIMEOUT_MS,
);
