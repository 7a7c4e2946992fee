import { expect, test } from "vitest";
import { DEFAULT_RULES } from "../matcher/engine/rules.ts";
import { judge } from "./judge.ts";
import { f1, precision } from "./measure.ts";
import { bankTransfers, TRANSFER_RULES, withoutSome } from "./tuning-set.ts";
import { BUSINESSES } from "./worlds/businesses.ts";

const PATIENCE = 300_000;

test(
  "bank transfers are matched to the targets, whole and with a fifth of each side missing",
  () => {
    const transfers = bankTransfers();
    for (const [world, target] of [
      [transfers, 0.995],
      [withoutSome(transfers, 0.2, 11), 0.985],
    ] as const) {
      const { quality } = judge(world, TRANSFER_RULES);
      expect(f1(quality.all)).toBeGreaterThanOrEqual(target);
      expect(precision(quality.automatic)).toBeGreaterThanOrEqual(0.999);
    }
  },
  PATIENCE,
);

test(
  "hard months of four kinds of business are matched to the targets by the default rules",
  () => {
    for (const seed of [201, 202]) {
      const qualities = BUSINESSES.map((business) => judge(business(seed, 600), DEFAULT_RULES).quality);
      const sum = (of: "all" | "automatic", what: "found" | "right" | "true") =>
        qualities.reduce((total, quality) => total + quality[of][what], 0);
      const counts = (of: "all" | "automatic") => ({ found: sum(of, "found"), right: sum(of, "right"), true: sum(of, "true") });
      expect(f1(counts("all"))).toBeGreaterThanOrEqual(0.97);
      expect(precision(counts("automatic"))).toBeGreaterThanOrEqual(0.998);
    }
  },
  PATIENCE,
);
