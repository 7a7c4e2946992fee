/**
 * The order in which a run applies its rules: what explains lines to the cent precedes what leaves
 * a difference, whatever the order of the list. Within each part the list decides.
 */
import type { Rule } from "./rules.ts";

/** `sumsOf`: which sums a group rule without a key looks for. */
export type Pass = { rule: Rule; index: number; sumsOf: "named" | "all" };

export function inOrderOfEvidence(rules: readonly Rule[]): Pass[] {
  const exact: Pass[] = [];
  const differing: Pass[] = [];
  for (const [index, rule] of rules.entries()) {
    const isSearch = rule.kind === "group" && !rule.on?.length;
    if (!leavesDifference(rule)) {
      exact.push({ rule, index, sumsOf: isSearch ? "named" : "all" });
      if (isSearch) differing.push({ rule, index, sumsOf: "all" });
      continue;
    }
    if (rule.kind === "group") exact.push({ rule: withoutTolerance(rule), index, sumsOf: "named" });
    differing.push({ rule, index, sumsOf: "all" });
  }
  return [...exact, ...differing];
}

/**
 * The exact rules at the beginning: they decide before any text is read, each among lines of one
 * amount and currency.
 */
export function leadingExactRules(rules: readonly Rule[]): readonly Rule[] {
  const others = rules.findIndex(({ kind }) => kind !== "exact");
  return others < 0 ? rules : rules.slice(0, others);
}

function leavesDifference({ amount_tolerance_minor = 0, amount_tolerance_bps = 0 }: Rule): boolean {
  return amount_tolerance_minor > 0 || amount_tolerance_bps > 0;
}

function withoutTolerance(rule: Rule): Rule {
  return { ...rule, amount_tolerance_minor: 0, amount_tolerance_bps: 0 };
}

/** The first score rule that takes no difference. */
export function ruleOfEqualAmounts(rules: readonly Rule[]): { rule: Rule; index: number } | null {
  const index = rules.findIndex(
    (rule) => rule.kind === "score" && !rule.on?.length && !leavesDifference(rule),
  );
  const rule = rules[index];
  return rule ? { rule, index } : null;
}

/** The first score rule that takes a difference and closes both sides. */
export function ruleOfDifferences(rules: readonly Rule[]): { rule: Rule; index: number } | null {
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
