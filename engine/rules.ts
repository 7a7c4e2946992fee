/**
 * The rules of a pair of sources, as they stand on the wire. Plain data and constants: a contract
 * may import this file without loading the engine.
 */

export const RULE_KINDS = [
  "exact",
  "tolerance",
  "reversal",
  "reference",
  "group",
  "score",
] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

/**
 * Fields that a rule may demand to be equal, in their normal form. Amount and currency are compared
 * by every rule.
 */
export const RULE_FIELDS = [
  "value_date",
  "booked_date",
  "reference",
  "counterparty",
  "description",
  "group_key",
] as const;
export type RuleField = (typeof RULE_FIELDS)[number];

export const DAY_KINDS = ["calendar", "business"] as const;
export type DayKind = (typeof DAY_KINDS)[number];

export const RESIDUALS = ["none", "keep"] as const;
export type Residual = (typeof RESIDUALS)[number];

export const OUTCOMES = ["match", "suggest"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const MAX_RULES = 20;
/** Names that a pair knows to be one (names.ts). */
export const MAX_NAMES = 500;
export const MAX_TOLERANCE_BPS = 10_000;
export const MAX_DAYS = 366;
/** Lines that a search for sums may combine. Groups with a shared key may be of any size. */
export const MAX_GROUP_SIZE = 50;

export type Rule = {
  name: string;
  kind: RuleKind;
  /**
   * Fields that must be present and equal on all lines of a match; a reversal may instead
   * name the reference of the line that it reverses.
   */
  on?: readonly RuleField[];
  /**
   * Amounts may differ by this much or by `amount_tolerance_bps` of the larger amount, whichever is
   * more. Default 0.
   */
  amount_tolerance_minor?: number;
  amount_tolerance_bps?: number;
  /**
   * How far the right line may be dated before the left one, or after it. Default: no limit for
   * exact and group, else 0.
   */
  days_before?: number;
  days_after?: number;
  day_kind?: DayKind;
  /** Lines of one side that a search for sums may combine. Default 8. */
  max_group_size?: number;
  /**
   * What becomes of a difference within the tolerance. `keep` (the default): both sides are
   * allocated in full and the match keeps the difference as its residual. `none`: the smaller
   * amount is allocated and the rest of the larger line stays open, as with a part payment.
   */
  residual?: Residual;
  then: Outcome;
};

/**
 * The rules of a pair that has none: certain matches come first, then those that the evidence makes
 * probable, then those that a person should see.
 */
export const DEFAULT_RULES: readonly Rule[] = [
  {
    name: "Same reference and date",
    kind: "exact",
    on: ["reference", "value_date"],
    then: "match",
  },
  {
    name: "Same reference",
    kind: "exact",
    on: ["reference"],
    days_before: 10,
    days_after: 31,
    then: "match",
  },
  {
    name: "Reversals",
    kind: "reversal",
    on: ["reference"],
    days_before: 5,
    days_after: 45,
    then: "match",
  },
  {
    name: "Group key",
    kind: "group",
    on: ["group_key"],
    days_before: 3,
    days_after: 10,
    then: "match",
  },
  { name: "Same amount", kind: "score", days_before: 4, days_after: 12, then: "match" },
  {
    name: "Reference in text",
    kind: "reference",
    days_before: 31,
    days_after: 31,
    then: "match",
  },
  {
    name: "Fees",
    kind: "score",
    amount_tolerance_bps: 500,
    amount_tolerance_minor: 2500,
    days_before: 3,
    days_after: 12,
    residual: "keep",
    then: "match",
  },
  { name: "Sums", kind: "group", days_before: 4, days_after: 10, max_group_size: 8, then: "match" },
  {
    name: "Part payments",
    kind: "score",
    amount_tolerance_bps: 9500,
    days_before: 5,
    days_after: 31,
    residual: "none",
    then: "suggest",
  },
];
