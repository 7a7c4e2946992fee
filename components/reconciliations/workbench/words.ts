import type { MatchExplanation } from "#lib/matching/contract.ts";

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

export const VERDICT_WORDS: Record<MatchExplanation["fields"][number]["verdict"], string> = {
  equal: "Agrees",
  close: "Close",
  similar: "Similar",
  differs: "Differs",
  missing: "Missing",
};

const HELD: Record<NonNullable<MatchExplanation["held"]>, string> = {
  rule: "Its rule only suggests.",
  track_record: "Rules by score match by themselves once your team's decisions have proved them right.",
  score: "Its score is below what counts as certain.",
  margin: "Another line fits almost as well.",
  chance: "A sum like this could be a coincidence.",
  budget: "The search ended before it could rule out every other sum.",
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

/** Rounded down, so that nothing looks certain that isn't. */
export function scoreInWords(score: number): string {
  return `${(Math.floor(score * 1000) / 10).toFixed(1)} %`;
}
