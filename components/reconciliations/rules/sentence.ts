import type { RuleSet } from "#lib/matching/rules/contract.ts";

export type Rule = RuleSet["rules"][number];

/** What the editor changes. */
export type RulesDraft = Pick<
  RuleSet,
  "rules" | "automatic" | "fees" | "four_eyes" | "review_levels" | "checks" | "calendar_id"
> & {
  forget_names?: { left: string; right: string }[];
};

const FIELD_WORDS: Record<NonNullable<Rule["on"]>[number], string> = {
  value_date: "value date",
  booked_date: "booked date",
  reference: "reference",
  counterparty: "counterparty",
  description: "description",
  group_key: "group key",
};

/** A rule as a sentence. `money`: how an amount in minor units is written; null where the pair has several currencies. */
export function sentenceOf(rule: Rule, money: (minor: number) => string): string {
  const parts = [SUBJECTS[rule.kind](rule), amountOf(rule, money), daysOf(rule)].filter(Boolean);
  const residual =
    hasTolerance(rule) && rule.residual === "none" ? " What is left over stays open." : "";
  return `${rule.then === "match" ? "Match" : "Suggest"} ${parts.join(", ")}.${residual}`;
}

const SUBJECTS: Record<Rule["kind"], (rule: Rule) => string> = {
  exact: (rule) => `lines with the same amount${fieldsOf(rule, " and ")}, if no other line agrees`,
  tolerance: (rule) => `lines of about the same amount${fieldsOf(rule, " with the same ")}`,
  reversal: (rule) =>
    `lines of one side that cancel each other${fieldsOf(rule, " with the same ")}`,
  reference: () => "lines of the same amount, or sums, that call each other by one number",
  group: (rule) =>
    rule.on?.length
      ? `groups of lines${fieldsOf(rule, " with the same ")} whose sums agree`
      : `one line with up to ${rule.max_group_size ?? 8} others that add up to it`,
  score: (rule) => `the most probable pairs by all evidence${fieldsOf(rule, " with the same ")}`,
};

function fieldsOf({ on }: Rule, before: string): string {
  if (!on || on.length === 0) return "";
  const words = on.map((field) => FIELD_WORDS[field]);
  return `${before}${words.length === 1 ? words[0] : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`}`;
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
    return `amounts at most ${money(amount_tolerance_minor)} or ${percent} apart`;
  if (amount_tolerance_minor > 0) return `amounts at most ${money(amount_tolerance_minor)} apart`;
  return amount_tolerance_bps > 0 ? `amounts at most ${percent} apart` : "";
}

function daysOf({ kind, days_before, days_after, day_kind }: Rule): string {
  const unlimited = kind === "exact" || kind === "group";
  if (days_before === undefined && days_after === undefined)
    return unlimited ? "" : "on the same day";
  const unit = day_kind === "business" ? "business days" : "days";
  const before = days_before ?? 0;
  const after = days_after ?? 0;
  if (before === after) return before === 0 ? "on the same day" : `within ${before} ${unit}`;
  return `the right one up to ${before} ${unit} before or ${after} after the left one`;
}

export const KIND_WORDS: Record<Rule["kind"], string> = {
  exact: "Exact",
  tolerance: "Tolerance",
  reversal: "Reversal",
  reference: "Reference",
  group: "Group",
  score: "Score",
};

export const FIELD_OPTIONS = Object.entries(FIELD_WORDS) as [keyof typeof FIELD_WORDS, string][];

/** With one rule at another place. */
export function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const next = [...list];
  const [item] = next.splice(from, 1);
  if (item === undefined || to < 0 || to > next.length) return [...list];
  next.splice(to, 0, item);
  return next;
}
