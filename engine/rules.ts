/**
 * The rules of a pair of sources, in the format of the API. The file has only types and constants,
 * so that a contract can import it without loading the engine.
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
 * Fields that a rule may require to be equal in normal form. Every rule compares the amount and the
 * currency.
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
/** The maximum number of known names of a pair of sources (names.ts). */
export const MAX_NAMES = 500;
export const MAX_TOLERANCE_BPS = 10_000;
export const MAX_DAYS = 366;
/** The maximum number of lines in a sum. Groups with a shared key may be of any size. */
export const MAX_GROUP_SIZE = 50;

export type Rule = {
  name: string;
  kind: RuleKind;
  /**
   * Fields that must be present and equal on all lines of a match. A reversal may instead contain
   * the reference of the line that it reverses.
   */
  on?: readonly RuleField[];
  /**
   * The maximum difference of amounts is the larger of this number of minor units and
   * `amount_tolerance_bps` basis points of the larger amount. Default 0.
   */
  amount_tolerance_minor?: number;
  amount_tolerance_bps?: number;
  /**
   * How many days before or after the left line the right one may be dated. Default: no limit for
   * exact and group, otherwise 0.
   */
  days_before?: number;
  days_after?: number;
  day_kind?: DayKind;
  /** The maximum number of lines of one side in a sum. Default 8. */
  max_group_size?: number;
  /**
   * What happens to a difference within the tolerance. `keep` (the default): both sides are
   * allocated in full and the match records the difference as its residual. `none`: the smaller
   * amount is allocated and the remainder of the larger line stays open, as with a part payment.
   */
  residual?: Residual;
  then: Outcome;
};

/**
 * The rules of a pair for which none are configured. Certain matches come first, then matches
 * that the evidence makes probable, then matches that a person should review.
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
