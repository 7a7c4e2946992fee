import type { MatchExplanation } from "#lib/matching/contract.ts";
import { FIELD_OPTIONS, type Rule } from "./sentence.ts";

/** The parts of a suggestion from which a rule for similar matches is drafted. */
export type Proposal = {
  method: string;
  left_minor: number;
  right_minor: number;
  line_ids: readonly string[];
  explanation: Pick<MatchExplanation, "fields" | "tolerance">;
};

const NAME_MAX = 100;
/** The minimum number of days allowed between a payment and its booking. */
const USUAL_DAYS = 3;

/**
 * A rule that would have made this match: the texts that agree are required, and amounts and days
 * may differ by as much as in this match. If only amount and day agree, it only suggests. `taken`:
 * names of the other rules.
 */
export function draftRule(
  { left_minor, right_minor, line_ids, explanation: { fields, tolerance } }: Proposal,
  taken: readonly string[],
): Rule {
  const on = FIELD_OPTIONS.map(([field]) => field).filter(
    (field) =>
      field !== "value_date" &&
      field !== "booked_date" &&
      fields.some((candidate) => candidate.field === field && candidate.verdict === "equal"),
  );
  const difference = Math.abs(left_minor - right_minor);
  const days = tolerance?.days ?? 0;
  const kind =
    left_minor === 0 || right_minor === 0
      ? "reversal"
      : line_ids.length > 2
        ? "group"
        : difference > 0
          ? "tolerance"
          : "exact";
  const words = on.map((field) => FIELD_OPTIONS.find(([one]) => one === field)?.[1] ?? field);
  const name = on.length > 0 ? `Same ${words.join(", ")}` : "Same amount and near day";
  return {
    name: unused(difference > 0 ? `${name}, near amount` : name, taken),
    kind,
    ...(on.length > 0 && { on }),
    ...(difference > 0 && { amount_tolerance_minor: difference, residual: "keep" as const }),
    days_before: Math.max(USUAL_DAYS, -days),
    days_after: Math.max(USUAL_DAYS, days),
    ...(kind === "group" && !on.includes("group_key") && { max_group_size: line_ids.length }),
    then: on.length > 0 ? "match" : "suggest",
  };
}

/** The rules, with the new one before the rule that made the suggestion. */
export function withRule(rules: readonly Rule[], rule: Rule, method: string): Rule[] {
  const place = rules.findIndex(({ name }) => name === method);
  return place < 0 ? [...rules, rule] : rules.toSpliced(place, 0, rule);
}

function unused(name: string, taken: readonly string[]): string {
  const short = name.slice(0, NAME_MAX - 4);
  for (let number = 2, next = short; ; number++) {
    if (!taken.includes(next)) return next;
    next = `${short} ${number}`;
  }
}
