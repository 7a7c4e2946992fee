import { roleNames } from "#components/kit/role-names.ts";
import { formatMoney } from "#components/ui/money.ts";
import { pluralize } from "#components/ui/pluralize.ts";
import type { SecurityEvent } from "#lib/security-events/contract.ts";
import type { Role } from "#lib/wire/access.ts";
import { actionOf, whoOf } from "./labels.ts";

type Named = Pick<
  SecurityEvent,
  "type" | "actor" | "home_tenant_id" | "details" | "reason" | "target"
>;
type Details = SecurityEvent["details"];

/** The sentence for a named target, for events whose details contain everything that it needs. */
const VERBS: Record<string, (name: string, details: Details) => string> = {
  "reconciliation.created": (name) => `created ${name}`,
  "reconciliation.updated": (name, { changes }) => `${changedText(changes)} ${name}`,
  "reconciliation.prepared": (name) => `signed ${name} as prepared`,
  "reconciliation.reviewed": (name) => `signed ${name} as reviewed`,
  "reconciliation.signatures_revoked": (name) => `revoked the signatures of ${name}`,
  "reconciliation.closed": (name, details) => `closed ${name}${openText(details)}`,
  "reconciliation.reopened": (name) => `reopened ${name}`,
  "source.created": (name) => `created the source ${name}`,
  "source.updated": (name, { changes }) =>
    `changed the ${isOnlyMapping(changes) ? "mapping of" : "source"} ${name}`,
  "connection.created": (name) => `connected the source ${name}`,
  "connection.updated": (name) => `changed the connection of ${name}`,
  "connection.deleted": (name) => `deleted the connection of ${name}`,
  "connection.fetch_requested": (name) => `asked the connection of ${name} for files`,
  "connection.host_key_changed": (name) => `reports another host key of the connection of ${name}`,
  "balance.stated": (name) => `stated a balance of ${name}`,
  "balance.removed": (name) => `removed a stated balance of ${name}`,
  "import.created": (name) => `imported ${name}`,
  "import.finished": (name, details) => `finished the import of ${name}: ${importCounts(details)}`,
  "import.failed": (name, { failure }) => `couldn't import ${name}: ${failure}`,
  "import.undone": (name) => `undid the import of ${name}`,
  "evidence.added": (_, details) => `added ${fileIn(details)} to ${subjectOf(details)}`,
  "evidence.removed": (_, details) => `removed ${fileIn(details)} from ${subjectOf(details)}`,
  "entries.rules_updated": (name) => `changed the entry rules of ${name}`,
  "entries.exported": (name) => `marked batch ${name} as exported`,
  "entries.push_requested": (name) => `asked to push batch ${name}`,
  "api_key.created": (name) => `created the key ${name}`,
  "api_key.updated": (name) => `changed the key ${name}`,
  "api_key.rotated": (name) => `rotated the key ${name}`,
  "api_key.revoked": (name) => `revoked the key ${name}`,
  "webhook.created": (name) => `registered the webhook ${name}`,
  "webhook.updated": (name) => `changed the webhook ${name}`,
  "webhook.deleted": (name) => `deleted the webhook ${name}`,
  "webhook.enabled": (name) => `enabled the webhook ${name}`,
  "webhook.disabled": (name) => `disabled the webhook ${name}`,
  "webhook.failing": (name) => `reports that the webhook ${name} keeps failing`,
  "webhook.recovered": (name) => `recovered missed deliveries of ${name}`,
  "webhook.secret_rotated": (name) => `rotated the signing secret of ${name}`,
  "member.invited": (name, { roles, again }) =>
    `invited ${name}${rolesText(roles)}${again === true ? " again" : ""}`,
  "member.invitation_revoked": (name) => `revoked the invitation of ${name}`,
  "member.role_changed": (name, { roles }) => `changed the roles of ${name}${newRoles(roles)}`,
  "member.removed": (name) => `removed ${name}`,
  "matching.confirmed": (name, details) => `confirmed ${suggestions(details)} in ${name}`,
  "matching.rejected": (name, details) => `rejected ${suggestions(details)} in ${name}`,
  "matching.matched": (name, details) => `matched ${moneyOf(details)} by hand in ${name}`,
  "matching.written_off": (name, details) => `wrote off ${writtenOff(details)} in ${name}`,
  "matching.undone": (name, { count }) =>
    `undid ${typeof count === "number" ? pluralize(count, "match", "matches") : "a decision"} in ${name}`,
  "matching.run_requested": (name) => `ran the rules of ${name}`,
  "matching.rules_updated": (name) => `changed the rules of ${name}`,
  "matching_rules.updated": (name) => `changed the rules of ${name}`,
  "line.excluded": (name, details) => `excluded ${name}${fromPeriod(details, "from")}`,
  "line.included": (name, details) => `included ${name} again${fromPeriod(details, "in")}`,
  "calendar.created": (name) => `created the calendar ${name}`,
  "calendar.updated": (name) => `changed the calendar ${name}`,
  "view.created": (name) => `shared the view ${name}`,
  "view.updated": (name) => `changed the shared view ${name}`,
  "view.deleted": (name) => `deleted the shared view ${name}`,
  "alert_channel.created": (name) => `created the alert channel ${name}`,
  "alert_channel.updated": (name) => `changed the alert channel ${name}`,
  "alert_channel.deleted": (name) => `deleted the alert channel ${name}`,
};

/** The sentence for a target without a name. */
const COUNTED: Record<string, (details: Details) => string | null> = {
  "exceptions.bulk_updated": ({ count }) => counted("changed", count),
  "exceptions.imported": ({ accepted }) => counted("imported", accepted),
};

/** Actions that are sentences by themselves. */
const WHOLE = ["webhook.failing", "reconciliation.signatures_revoked", "service_role.call"];

const REASON_SHOWN_MAX = 80;

/**
 * "leo closed Debtors, November 2026, 10 lines open (€4,850.00)", "ada revoked the key Nightly
 * (leaked)".
 */
export function sentenceOf(event: Named): string {
  const { type, details } = event;
  if (type === "access.refused")
    return actionOf(event).replace(/^Refused/, `${whoOf(event)} was refused`);
  const name = subjectIn(event);
  if (WHOLE.includes(type) && (name === null || VERBS[type] === undefined)) return actionOf(event);
  const done =
    (name !== null && VERBS[type]?.(name, details)) || COUNTED[type]?.(details) || plain(event);
  return `${whoOf(event)} ${done}${reasonText(event)}`;
}

/** The same for a target; matches, runs and decisions are named by their period. */
export function targetNameIn(event: Pick<SecurityEvent, "details">, target: string): string | null {
  const { reconciliation_name: period } = event.details;
  return /^(?:mat|run|dec)_/.test(target) && isName(period) ? period : nameIn(event);
}

/** The name of an event's target as it was then, if its details have one. */
function nameIn({ details }: Pick<SecurityEvent, "details">): string | null {
  const { name, target_name, file_name, email, url } = details;
  const found = [name, target_name, file_name, email, url].find(isName);
  return found ?? null;
}

/** The name in the sentence: matches and runs have no name, so their period is used. */
function subjectIn(event: Named): string | null {
  const { target, details, type } = event;
  if (target?.startsWith("user:")) return target.slice("user:".length);
  return type.startsWith("matching") && isName(details.reconciliation_name)
    ? details.reconciliation_name
    : nameIn(event);
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The action in the middle of a sentence: "signed in". */
function plain(event: Named): string {
  const action = actionOf(event);
  return action.charAt(0).toLowerCase() + action.slice(1);
}

function reasonText({ reason, details }: Named): string {
  const full = isName(details.reason) ? details.reason : reason;
  if (!full) return "";
  const shown =
    full.length > REASON_SHOWN_MAX ? `${full.slice(0, REASON_SHOWN_MAX - 1).trimEnd()}…` : full;
  return ` (${shown})`;
}

type OpenMoney = { currency: string; open_minor: number | string };

function openText({ open_lines, open_money }: Details): string {
  if (typeof open_lines !== "number") return "";
  if (open_lines === 0) return ", nothing open";
  const sums = Array.isArray(open_money) ? (open_money as OpenMoney[]) : [];
  const money = sums.map(({ currency, open_minor }) => formatMoney(open_minor, currency));
  return `, ${pluralize(open_lines, "line")} open${money.length > 0 ? ` (${money.join(", ")})` : ""}`;
}

/** "120 rows read, 116 lines added, 3 duplicates, 1 skipped"; zeros at the end are left out. */
function importCounts(details: Details): string {
  const count = (field: string) => Number(details[field] ?? 0);
  const left = [
    [count("duplicate_count"), pluralize(count("duplicate_count"), "duplicate")],
    [count("skipped_count"), `${count("skipped_count").toLocaleString("en")} skipped`],
    [count("refused_count"), `${count("refused_count").toLocaleString("en")} rejected`],
  ] as const;
  return [
    `${pluralize(count("read_count"), "row")} read`,
    `${pluralize(count("accepted_count"), "line")} added`,
    ...left.filter(([number]) => number > 0).map(([, text]) => text),
  ].join(", ");
}

function fileIn({ file_name }: Details): string {
  return isName(file_name) ? file_name : "evidence";
}

function subjectOf({ name, subject_type }: Details): string {
  if (!isName(name)) return `a ${subject_type}`;
  return subject_type === "match" ? `a match in ${name}` : name;
}

type Change = { from: unknown; to: unknown };

/** "archived", "renamed October to" or "changed": the beginning before the period's name. */
function changedText(changes: unknown): string {
  const { name, status, ...others } = (changes ?? {}) as Record<string, Change>;
  if (status?.to === "archived") return "archived";
  const isOnlyName = isName(name?.from) && !status && Object.keys(others).length === 0;
  return isOnlyName ? `renamed ${name.from} to` : "changed";
}

function isOnlyMapping(changes: unknown): boolean {
  return Object.keys((changes ?? {}) as object).join() === "mapping";
}

function rolesText(roles: unknown): string {
  return Array.isArray(roles) ? ` as ${roleNames(roles as Role[])}` : "";
}

function newRoles(roles: unknown): string {
  const { to } = (roles ?? {}) as { to?: Role[] };
  return to ? ` to ${roleNames(to)}` : "";
}

function suggestions({ count }: Details): string {
  return typeof count === "number" ? pluralize(count, "suggestion") : "suggestions";
}

function counted(verb: string, count: unknown): string | null {
  return typeof count === "number" ? `${verb} ${pluralize(count, "exception")}` : null;
}

function fromPeriod({ reconciliation_name: name }: Details, preposition: string): string {
  return isName(name) ? ` ${preposition} ${name}` : "";
}

function moneyOf({ amount_minor, currency }: Details): string {
  return typeof amount_minor === "number" && isName(currency)
    ? formatMoney(amount_minor, currency)
    : "lines";
}

type Adjustment = { kind: string; amount_minor: number };

function writtenOff({ adjustments, currency }: Details): string {
  if (!Array.isArray(adjustments) || !isName(currency)) return "a difference";
  const minor = (adjustments as Adjustment[])
    .filter(({ kind }) => kind === "write_off")
    .reduce((sum, { amount_minor }) => sum + amount_minor, 0);
  return formatMoney(minor, currency);
}
