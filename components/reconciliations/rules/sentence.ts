import { pluralize } from "#components/ui/pluralize.ts";
import type { RuleSet } from "#lib/matching/rules/contract.ts";

export type Rule = RuleSet["rules"][number];

/** The part of the rules that the editor changes. */
export type RulesDraft = Pick<
  RuleSet,
  | "rules"
  | "automatic"
  | "fees"
  | "four_eyes"
  | "review_levels"
  | "close_days"
  | "checks"
  | "evidence_from_minor"
  | "calendar_id"
> & {
  forget_names?: { left: string; right: string }[];
};

export function draftOf({
  rules,
  automatic,
  fees,
  four_eyes,
  review_levels,
  close_days,
  checks,
  evidence_from_minor,
  calendar_id,
}: RuleSet): RulesDraft {
  return {
    rules,
    automatic,
    fees,
    four_eyes,
    review_levels,
    close_days,
    checks,
    evidence_from_minor,
    calendar_id,
  };
}

const FIELD_LABELS: Record<NonNullable<Rule["on"]>[number], string> = {
  value_date: "value date",
  booked_date: "booked date",
  reference: "reference",
  counterparty: "counterparty",
  description: "description",
  group_key: "group key",
};

/**
 * A rule's conditions, in short sentences. `money` formats an amount in minor units, without a
 * currency for a pair with several.
 */
export function sentenceOf(rule: Rule, money: (minor: number) => string): string {
  const rest = hasTolerance(rule) && rule.residual === "none" ? "The difference stays open" : "";
  const amounts = amountOf(rule, money);
  const subjects =
    rule.kind === "tolerance" && amounts
      ? [`${amounts}${fieldsOf(rule)}`]
      : [SUBJECTS[rule.kind](rule), amounts];
  return [...subjects, daysOf(rule), rest]
    .filter(Boolean)
    .map((sentence) => `${sentence}.`)
    .join(" ");
}

const SUBJECTS: Record<Rule["kind"], (rule: Rule) => string> = {
  exact: ({ on = [] }) => `Same ${listOf(["amount", ...wordsOf(on)])}, unique on both sides`,
  tolerance: (rule) => `Similar amounts${fieldsOf(rule)}`,
  reversal: (rule) => `Lines on one side that cancel each other${fieldsOf(rule)}`,
  reference: () => "Same amount or sum, and a shared reference number",
  group: (rule) =>
    rule.on?.length
      ? `Groups of lines${fieldsOf(rule)} and equal sums`
      : `One line and up to ${rule.max_group_size ?? 8} others that add up to it`,
  score: (rule) => `The most likely pairs on all evidence${fieldsOf(rule)}`,
};

function wordsOf(on: readonly (keyof typeof FIELD_LABELS)[]): string[] {
  return on.map((field) => FIELD_LABELS[field]);
}

function listOf(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** " with the same reference", if the rule compares fields. */
function fieldsOf({ on = [] }: Rule): string {
  return on.length === 0 ? "" : ` with the same ${listOf(wordsOf(on))}`;
}

function hasTolerance({ amount_tolerance_minor, amount_tolerance_bps }: Rule): boolean {
  return Boolean(amount_tolerance_minor) || Boolean(amount_tolerance_bps);
}

function amountOf(
  { amount_tolerance_minor = 0, amount_tolerance_bps = 0 }: Rule,
  money: (minor: number) => string,
): string {
  const percent = `${(amount_tolerance_bps / 100).toLocaleString("en")} %`;
  if (amount_tolerance_minor > 0 && amount_tolerance_bps > 0)
    return `Amounts at most ${money(amount_tolerance_minor)} or ${percent} apart`;
  if (amount_tolerance_minor > 0) return `Amounts at most ${money(amount_tolerance_minor)} apart`;
  return amount_tolerance_bps > 0 ? `Amounts at most ${percent} apart` : "";
}

function daysOf({ kind, days_before, days_after, day_kind }: Rule): string {
  const unlimited = kind === "exact" || kind === "group";
  if (days_before === undefined && days_after === undefined)
    return unlimited ? "" : "On the same day";
  const before = days_before ?? 0;
  const after = days_after ?? 0;
  const days = (count: number) =>
    pluralize(count, day_kind === "business" ? "business day" : "day");
  // Both lines of a reversal are on one side.
  const [line, other] =
    kind === "reversal" ? ["The reversal", "the booking"] : ["Right line", "the left"];
  if (before === after) return before === 0 ? "On the same day" : `Within ${days(before)}`;
  if (before === 0) return `${line} up to ${days(after)} after ${other}`;
  if (after === 0) return `${line} up to ${days(before)} before ${other}`;
  return `${line} ${days(before)} before to ${days(after)} after ${other}`;
}

export const KIND_LABELS: Record<Rule["kind"], string> = {
  exact: "Exact",
  tolerance: "Tolerance",
  reversal: "Reversal",
  reference: "Reference",
  group: "Group",
  score: "Score",
};

export const FIELD_OPTIONS = Object.entries(FIELD_LABELS) as [keyof typeof FIELD_LABELS, string][];

/**
 * What happens to the lines that a rule finds. Score rules and searches for sums match automatically
 * only as the pair's `automatic` says; `proven`: whether its decisions have shown them to be right.
 */
export function outcomeOf(
  { kind, on = [], then }: Rule,
  { automatic, proven }: { automatic: RuleSet["automatic"]; proven: boolean },
): string {
  const isUncertain = kind === "score" || (kind === "group" && on.length === 0);
  if (then === "suggest" || (isUncertain && automatic === "suggest_only")) return "suggests only";
  return isUncertain && automatic === "earned" && !proven ? "suggests until proven" : "matches";
}

/** The rules with one of them moved to another place. */
export function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const next = [...list];
  const [item] = next.splice(from, 1);
  if (item === undefined || to < 0 || to > next.length) return [...list];
  next.splice(to, 0, item);
  return next;
}
