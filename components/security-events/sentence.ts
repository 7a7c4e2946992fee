import { formatMoney } from "#components/ui/money.ts";
import { pluralize } from "#components/ui/pluralize.ts";
import type { SecurityEvent } from "#lib/security-events/contract.ts";
import { actionOf, whoOf } from "./labels.ts";

type Named = Pick<SecurityEvent, "type" | "actor" | "home_tenant_id" | "details">;

/** What was done to what has this name. */
const VERBS: Record<string, (name: string) => string> = {
  "reconciliation.created": (name) => `created ${name}`,
  "reconciliation.prepared": (name) => `signed ${name} as prepared`,
  "reconciliation.reviewed": (name) => `signed ${name} as reviewed`,
  "reconciliation.signatures_revoked": (name) => `revoked the signatures of ${name}`,
  "reconciliation.closed": (name) => `closed ${name}`,
  "reconciliation.reopened": (name) => `reopened ${name}`,
  "source.created": (name) => `created the source ${name}`,
  "source.updated": (name) => `changed the source ${name}`,
  "balance.stated": (name) => `stated a balance of ${name}`,
  "balance.removed": (name) => `removed a stated balance of ${name}`,
  "import.created": (name) => `imported ${name}`,
  "import.undone": (name) => `undid the import of ${name}`,
};

/**
 * "leo closed Debtors, November 2026, 10 lines open (€4,850.00)"; only the action if no name is
 * known.
 */
export function sentenceOf(event: Named): string {
  const verb = VERBS[event.type];
  const name = nameIn(event);
  if (verb === undefined || name === null) return actionOf(event);
  return `${whoOf(event)} ${verb(name)}${openText(event.details)}`;
}

/** The name of an event's target as it was then, if its details have one. */
export function nameIn({ details }: Pick<SecurityEvent, "details">): string | null {
  const name = details.name ?? details.file_name;
  return typeof name === "string" && name !== "" ? name : null;
}

type OpenMoney = { currency: string; open_minor: number | string };

function openText({ open_lines, open_money }: SecurityEvent["details"]): string {
  if (typeof open_lines !== "number") return "";
  if (open_lines === 0) return ", nothing open";
  const sums = Array.isArray(open_money) ? (open_money as OpenMoney[]) : [];
  const money = sums.map(({ currency, open_minor }) => formatMoney(open_minor, currency));
  return `, ${pluralize(open_lines, "line")} open${money.length > 0 ? ` (${money.join(", ")})` : ""}`;
}
