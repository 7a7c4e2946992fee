import { pluralize } from "#components/ui/pluralize.ts";
import type { Decision } from "#lib/matching/workbench/contract.ts";

/** "60 times less likely": a margin in nats, in odds. */
export function describeMargin(nats: number): string {
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

/** The action of a decision, to follow the person's name. */
export function describeDecision({ action, match_count }: Decision): string {
  if (action === "exclude") return `${DID.exclude} a line`;
  return `${DID[action]} ${match_count === 1 ? "a match" : `${match_count.toLocaleString("en")} matches`}`;
}

const UNDONE: Record<Decision["action"], [one: string, many: string]> = {
  confirm: ["Match", "matches"],
  match: ["Match", "matches"],
  reject: ["Rejection", "rejections"],
  exclude: ["Exclusion", "exclusions"],
};

/**
 * "Match of €4,850.00 undone". `label` is this page's name for the decision, if it was made here.
 */
export function undoneLabel({ action, match_count }: Decision, label: string | undefined): string {
  const [one, many] = UNDONE[action];
  if (label !== undefined) return `${label} undone`;
  return `${match_count > 1 ? pluralize(match_count, one, many) : one} undone`;
}
