import { SURE_SCORE } from "../../../engine/assignment/by-evidence.ts";
import { DEFAULT_RULES, type Rule } from "../../../engine/rules.ts";
import { describeWeights, trackRecord, type Weights } from "../../../engine/weights.ts";
import type { RuleSet } from "./contract.ts";

/**
 * The rules as the database returns them: null for a pair with the defaults, and learnt values as
 * counts.
 */
export type StoredRules<Rest = object> = Rest &
  Omit<RuleSet, "rules" | "learnt"> & { rules: Rule[] | null; weights: Weights | null };

/** Includes the defaults, and learnt values as figures for people. */
export function withDefaults<Rest extends object>({
  rules,
  weights,
  ...stored
}: StoredRules<Rest>): Rest & RuleSet {
  return {
    ...(stored as unknown as Rest & Omit<RuleSet, "rules" | "learnt">),
    rules: (rules ?? DEFAULT_RULES) as RuleSet["rules"],
    learnt: {
      confirmed: weights?.confirmed ?? 0,
      rejected: weights?.rejected ?? 0,
      findings: describeWeights(weights),
      track_record: trackRecord(weights, SURE_SCORE),
      names: weights?.names ?? [],
    },
  };
}
