import { formatDay } from "#components/ui/moment.ts";
import { formatMoney } from "#components/ui/money.ts";
import { pluralize } from "#components/ui/pluralize.ts";
import type { MatchExplanation } from "#lib/matching/contract.ts";
import type { Decision } from "#lib/matching/workbench/contract.ts";

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

export function fieldInWords(field: string): string {
  return FIELDS[field] ?? field.replaceAll("_", " ");
}

/** What a line says in a field: money and days as everywhere. */
export function valueInWords(field: string, text: string, currency: string): string {
  if (field === "amount" && /^-?\d+$/.test(text)) return formatMoney(Number(text), currency);
  return field.endsWith("date")
    ? text.replaceAll(/\d{4}-\d{2}-\d{2}/g, (day) => formatDay(day, "UTC"))
    : text;
}

export const VERDICT_WORDS: Record<MatchExplanation["fields"][number]["verdict"], string> = {
  equal: "Agrees",
  close: "Close",
  similar: "Similar",
  differs: "Differs",
  missing: "Missing",
};

const HELD: Record<NonNullable<MatchExplanation["held"]>, string> = {
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
export function heldInWords(held: MatchExplanation["held"]): string | null {
  return held === null ? null : HELD[held];
}

/** "60 times less likely": a margin in nats, in odds. */
export function marginInWords(nats: number): string {
  const times = Math.exp(nats);
  if (times < 1.5) return "about as likely";
  if (times >= 1000) return "over 1,000 times less likely";
  return `${times < 10 ? times.toFixed(1) : Math.round(times).toLocaleString("en")} times less likely`;
}

const DID: Record<Decision["action"], string> = {
  confirm: "confirmed",
  reject: "rejected",
  match: "matched by hand",
  exclude: "excluded",
};

/** What somebody did by a decision, after their name. */
export function decided({ action, match_count }: Decision): string {
  if (action === "exclude") return `${DID.exclude} a line`;
  return `${DID[action]} ${match_count === 1 ? "a match" : `${match_count.toLocaleString("en")} matches`}`;
}

const UNDONE: Record<Decision["action"], [one: string, many: string]> = {
  confirm: ["Match", "matches"],
  match: ["Match", "matches"],
  reject: ["Rejection", "rejections"],
  exclude: ["Exclusion", "exclusions"],
};

/** "Match of €4,850.00 undone". `subject` is what this page called the decision, if it made it. */
export function undoneWords(
  { action, match_count }: Decision,
  subject: string | undefined,
): string {
  const [one, many] = UNDONE[action];
  if (subject !== undefined) return `${subject} undone`;
  return `${match_count > 1 ? pluralize(match_count, one, many) : one} undone`;
}
