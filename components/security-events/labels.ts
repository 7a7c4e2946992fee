import {
  AlarmClock,
  Ban,
  BellRing,
  BookUp,
  Cable,
  CalendarDays,
  Database,
  Download,
  FileInput,
  FlaskConical,
  KeyRound,
  Landmark,
  ListChecks,
  ListFilter,
  ListOrdered,
  LogIn,
  LogOut,
  type LucideIcon,
  Paperclip,
  Rows3,
  Scale,
  ShieldAlert,
  ShieldCheck,
  TestTubeDiagonal,
  UserCog,
  Users,
  Webhook,
} from "lucide-react";
import type { SecurityEvent } from "#lib/security-events/contract.ts";
import { PRODUCT } from "#lib/wire/product.ts";

/** The type filter's values, as GET /v1/security-events accepts them. */
export const KINDS: readonly { type: string; name: string }[] = [
  { type: "access.refused", name: "Refusals" },
  { type: "session.*", name: "Sign-ins and sign-outs" },
  { type: "member.*", name: "Members" },
  { type: "api_key.*", name: "API keys" },
  { type: "webhook.*", name: "Webhooks" },
  { type: "exceptions.*", name: "Bulk changes and imports" },
  { type: "reconciliation.*", name: "Reconciliations and periods" },
  { type: "source.*", name: "Sources and mappings" },
  { type: "import.*", name: "Imported files" },
  { type: "connection.*", name: "Connections" },
  { type: "balance.*", name: "Balances" },
  { type: "evidence.*", name: "Evidence" },
  { type: "entries.*", name: "Ledger entries" },
  { type: "matching.*", name: "Matches, rules and runs" },
  { type: "line.*", name: "Excluded lines" },
  { type: "sla_policy.*", name: "SLA policy" },
  { type: "calendar.*", name: "Calendars" },
  { type: "view.*", name: "Shared views" },
  { type: "alert_channel.*", name: "Alert channels" },
  { type: "sandbox.*", name: "Sandbox" },
  { type: "data.exported", name: "Exports" },
  { type: "dry_run.done", name: "Previews" },
  { type: "service_role.call", name: "Service-role calls" },
  { type: "security_events.*", name: "Audit log" },
];

export const ACTIONS: Record<string, string> = {
  "api_key.created": "Created an API key",
  "api_key.updated": "Changed an API key",
  "api_key.rotated": "Rotated an API key",
  "api_key.revoked": "Revoked an API key",
  "webhook.created": "Registered a webhook",
  "webhook.updated": "Changed a webhook",
  "webhook.deleted": "Deleted a webhook",
  "webhook.enabled": "Enabled a webhook",
  "webhook.disabled": "Disabled a webhook",
  "webhook.failing": "A webhook keeps failing",
  "webhook.recovered": "Recovered missed deliveries",
  "webhook.secret_rotated": "Rotated a webhook's signing secret",
  "exceptions.bulk_updated": "Changed exceptions in bulk",
  "exceptions.imported": "Imported exceptions",
  "source.created": "Created a source",
  "source.updated": "Changed a source",
  "connection.created": "Connected a source",
  "connection.updated": "Changed a connection",
  "connection.deleted": "Deleted a connection",
  "connection.fetch_requested": "Asked a connection for files",
  "connection.host_key_changed": "A connection's host key changed",
  "balance.stated": "Stated a balance",
  "balance.removed": "Removed a stated balance",
  "evidence.added": "Added evidence",
  "evidence.removed": "Removed evidence",
  "import.created": "Imported a file",
  "import.finished": "Finished an import",
  "import.failed": "Couldn't import a file",
  "import.undone": "Undid an import",
  "reconciliation.created": "Created a reconciliation",
  "reconciliation.updated": "Changed a period",
  "reconciliation.prepared": "Signed a period as prepared",
  "reconciliation.reviewed": "Reviewed a period",
  "reconciliation.signatures_revoked": "A period's signatures were revoked",
  "reconciliation.closed": "Closed a period",
  "reconciliation.reopened": "Reopened a period",
  "entries.rules_updated": "Changed entry rules",
  "entries.exported": "Marked a batch as exported",
  "entries.push_requested": "Asked to push a batch",
  "matching.confirmed": "Confirmed suggestions",
  "matching.rejected": "Rejected suggestions",
  "matching.matched": "Matched by hand",
  "matching.written_off": "Wrote off a difference",
  "matching.undone": "Undid a decision",
  "matching.run_requested": "Ran the rules",
  "matching.rules_updated": "Changed matching rules",
  // Events from before categories were recorded.
  "matching_rules.updated": "Changed matching rules",
  "line.excluded": "Excluded a line",
  "line.included": "Included a line again",
  "alert_channel.created": "Created an alert channel",
  "alert_channel.updated": "Changed an alert channel",
  "alert_channel.deleted": "Deleted an alert channel",
  "sla_policy.updated": "Changed the SLA policy",
  "calendar.created": "Created a calendar",
  "calendar.updated": "Changed a calendar",
  "view.created": "Shared a view",
  "view.updated": "Changed a shared view",
  "view.deleted": "Deleted a shared view",
  "sandbox.created": "Created the sandbox",
  "sandbox.reset": "Reset the sandbox",
  "sandbox.sample_loaded": "Loaded the sample month",
  "data.exported": "Exported data",
  "dry_run.done": "Previewed a change",
  "service_role.call": "Called with the service-role key",
  "session.signed_in": "Signed in",
  "session.sign_in_failed": "Failed to sign in",
  "session.signed_out": "Signed out",
  "session.ended": "Signed out of a session",
  "session.ended_everywhere": "Signed out everywhere",
  "member.admitted": "Joined",
  "member.invited": "Invited someone",
  "member.invitation_revoked": "Revoked an invitation",
  "member.role_changed": "Changed a member's roles",
  "member.removed": "Removed a member",
  "member.password_changed": "Changed the password",
  "member.password_reset": "Reset the password by email",
  "security_events.forgotten": "Purged events past retention",
  "security_events.retention_changed": "Changed event retention",
};

const REFUSALS: Record<string, string> = {
  unauthenticated: "Refused: credential no longer valid",
  tenant_forbidden: "Refused: not a member of this tenant",
  role_required: "Refused: missing role",
  scope_required: "Refused: missing scope",
  ip_not_allowed: "Refused: address not allowed",
  browser_forbidden: "Refused: service-role key used in a browser",
};

/** An event's action. */
export function actionOf({ type, details }: Pick<SecurityEvent, "type" | "details">): string {
  const action =
    type === "access.refused"
      ? (REFUSALS[String(details.code)] ?? "Refused")
      : type === "member.invited" && typeof details.email === "string"
        ? `Invited ${details.email}`
        : (ACTIONS[type] ?? wordsOf(type));
  const { count } = details;
  return type !== "exceptions.bulk_updated" &&
    typeof count === "number" &&
    count > 0 &&
    "minute" in details
    ? `${action}, ${count.toLocaleString("en")} more within a minute`
    : action;
}

const ICONS: [start: string, icon: LucideIcon][] = [
  ["access.", Ban],
  ["member.", Users],
  ["session.signed_out", LogOut],
  ["session.ended", LogOut],
  ["session.", LogIn],
  ["api_key.", KeyRound],
  ["webhook.", Webhook],
  ["exceptions.", ListChecks],
  ["reconciliation.", Scale],
  ["source.", Database],
  ["import.", FileInput],
  ["balance.", Landmark],
  ["connection.", Cable],
  ["evidence.", Paperclip],
  ["entries.", BookUp],
  ["matching", ListOrdered],
  ["line.", Rows3],
  ["alert_channel.", BellRing],
  ["sla_policy.", AlarmClock],
  ["calendar.", CalendarDays],
  ["view.", ListFilter],
  ["sandbox.", TestTubeDiagonal],
  ["data.", Download],
  ["dry_run.", FlaskConical],
  ["service_role.", UserCog],
  ["security_events.", ShieldCheck],
];

export function iconOf(type: string): LucideIcon {
  return ICONS.find(([start]) => type.startsWith(start))?.[1] ?? ShieldAlert;
}

/** `user:ada` → ada; other actors by their kind. */
function actorName(actor: string): string {
  if (actor.startsWith("user:")) return actor.slice("user:".length);
  if (actor.startsWith("api_key:"))
    return `API key ${actor.slice("api_key:".length, "api_key:".length + 8)}…`;
  return ACTORS[actor] ?? actor;
}

/** Another tenant's user may share a name with one of ours. */
export function whoOf({
  actor,
  home_tenant_id: home,
}: Pick<SecurityEvent, "actor" | "home_tenant_id">): string {
  return home ? `${actorName(actor)} of ${home}` : actorName(actor);
}

const ACTORS: Record<string, string> = {
  service_role: "Service-role key",
  publishable_key: "Publishable key",
  system: PRODUCT,
  operator: "Operator",
  anonymous: "Unknown",
};

export const CREDENTIAL_LABELS: Record<SecurityEvent["credential"], string> = {
  user: "User",
  api_key: "API key",
  publishable_key: "Publishable key",
  service_role: "Service-role key",
  none: "No valid credential",
  system: `None (${PRODUCT})`,
};

/** The page of an event's target, if it has one. */
export function targetHref(
  tenantId: string,
  target: string,
  { reconciliation_id, source_id }: SecurityEvent["details"],
): string | null {
  const period = typeof reconciliation_id === "string" ? reconciliation_id : null;
  if (/^(?:mat|run|dec)_/.test(target))
    return period && `/${tenantId}/reconciliations/${period}${PERIOD_PAGES[target.slice(0, 3)]}`;
  if (target.startsWith("imp_"))
    return typeof source_id === "string"
      ? `/${tenantId}/sources/${source_id}?import=${target}`
      : null;
  if (target.startsWith("lin_")) return `/${tenantId}/lines?line=${target}`;
  if (target.startsWith("ach_")) return `/${tenantId}/alerts`;
  if (target.startsWith("user:") || target.startsWith("inv_")) return `/${tenantId}/members`;
  if (target.startsWith("key_")) return `/${tenantId}/api-keys?key=${target}`;
  if (target.startsWith("whk_")) return `/${tenantId}/webhooks/${target}`;
  if (target.startsWith("rcn_")) return `/${tenantId}/reconciliations/${target}`;
  if (target.startsWith("src_")) return `/${tenantId}/sources/${target}`;
  if (target.startsWith("bat_")) return `/${tenantId}/entry-batches/${target}`;
  if (target.startsWith("cal_")) return `/${tenantId}/calendars/${target}`;
  return target.startsWith("exc_") ? `/${tenantId}/exceptions?exception=${target}` : null;
}

/** The part of the period that shows it. */
const PERIOD_PAGES: Record<string, string> = { mat: "/matches", run: "", dec: "/workbench" };

/** `key_01a1…5dec`: shortens a long ID. */
export function shortTarget(target: string): string {
  return target.length > 24 && !target.startsWith("tenant:")
    ? `${target.slice(0, 8)}…${target.slice(-4)}`
    : target;
}

function wordsOf(type: string): string {
  const words = type.replaceAll(/[._]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
