/**
 * The order in which a run applies its rules: rules that explain amounts to the cent come before
 * rules that leave a difference. Within each group the order of the list applies.
 */
import type { Rule } from "./rules.ts";

/** `sumsOf` is which sums a group rule without a key searches for. */
export type Pass = { rule: Rule; index: number; sumsOf: "named" | "all" };

export function orderPasses(rules: readonly Rule[]): Pass[] {
  const exact: Pass[] = [];
  const differing: Pass[] = [];
  for (const [index, rule] of rules.entries()) {
    const searchesSums = rule.kind === "group" && !rule.on?.length;
    if (!leavesDifference(rule)) {
      exact.push({ rule, index, sumsOf: searchesSums ? "named" : "all" });
      if (searchesSums) differing.push({ rule, index, sumsOf: "all" });
      continue;
    }
    if (rule.kind === "group") exact.push({ rule: withoutTolerance(rule), index, sumsOf: "named" });
    differing.push({ rule, index, sumsOf: "all" });
  }
  return [...exact, ...differing];
}

/**
 * The exact rules at the beginning of the list. They are applied before any text is read, and each
 * compares only lines of the same amount and currency.
 */
export function leadingExactRules(rules: readonly Rule[]): readonly Rule[] {
  const firstOther = rules.findIndex(({ kind }) => kind !== "exact");
  return firstOther < 0 ? rules : rules.slice(0, firstOther);
}

function leavesDifference({ amount_tolerance_minor = 0, amount_tolerance_bps = 0 }: Rule): boolean {
  return amount_tolerance_minor > 0 || amount_tolerance_bps > 0;
}

function withoutTolerance(rule: Rule): Rule {
  return { ...rule, amount_tolerance_minor: 0, amount_tolerance_bps: 0 };
}

/** Finds the first score rule without a key that tolerates no difference. */
export function findEqualAmountRule(rules: readonly Rule[]): { rule: Rule; index: number } | null {
  const index = rules.findIndex(
    (rule) => rule.kind === "score" && !rule.on?.length && !leavesDifference(rule),
  );
  const rule = rules[index];
  return rule ? { rule, index } : null;
}

/** Finds the first score rule without a key that tolerates a difference and closes both sides. */
export function findDifferenceRule(rules: readonly Rule[]): { rule: Rule; index: number } | null {
  const index = rules.findIndex(
    (rule) =>
      rule.kind === "score" &&
      !rule.on?.length &&
      leavesDifference(rule) &&
      rule.residual !== "none",
  );
  const rule = rules[index];
  return rule ? { rule, index } : null;
}
