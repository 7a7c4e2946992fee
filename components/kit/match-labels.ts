import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import type { Match, MatchExplanation } from "#lib/matching/contract.ts";

export const ADJUSTMENT_LABELS: Record<Match["adjustments"][number]["kind"], string> = {
  fee: "Fee",
  fx: "Exchange rate",
  rounding: "Rounding",
  write_off: "Write-off",
  other: "Other",
};

const FIELDS: Record<string, string> = {
  amount: "Amount",
  date: "Date",
  value_date: "Value date",
  booked_date: "Booked",
  reference: "Reference",
  counterparty: "Counterparty",
  description: "Description",
  group_key: "Group",
  currency: "Currency",
};

export function matchFieldLabel(field: string): string {
  return FIELDS[field] ?? field.replaceAll("_", " ");
}

/** A line's value in a field, with money and days formatted as elsewhere. */
export function matchValueText(field: string, text: string, currency: string): string {
  if (field === "amount" && /^-?\d+$/.test(text)) return formatMoney(Number(text), currency);
  return field.endsWith("date")
    ? text.replaceAll(/\d{4}-\d{2}-\d{2}/g, (day) => formatDay(day, "UTC"))
    : text;
}

export const VERDICT_LABELS: Record<MatchExplanation["fields"][number]["verdict"], string> = {
  equal: "Agrees",
  close: "Close",
  similar: "Similar",
  differs: "Differs",
  missing: "Missing",
};

const HELD_REASONS: Record<NonNullable<MatchExplanation["held"]>, string> = {
  rule: "Its rule only suggests.",
  track_record:
    "This rule matches automatically once your team has confirmed enough of its suggestions.",
  score: "Its score is too low to match automatically.",
  margin: "Another line fits almost as well.",
  chance: "A sum like this could be a coincidence.",
  budget: "The search ended before it could rule out every other sum.",
  contradiction: "The lines contradict each other.",
  window: "The days lie farther apart than the rule allows.",
};

/** Why a person has to decide. */
export function heldReason(held: MatchExplanation["held"]): string | null {
  return held === null ? null : HELD_REASONS[held];
}
