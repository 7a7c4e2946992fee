/**
 * What fields mean that are called the same everywhere. Beside the contracts, not in them: pages load those, and nobody reads
 * descriptions there. A contract's own description goes first.
 */
const FIELDS: Record<string, string> = {
  amount_minor: "Money at risk in the currency's minor unit: 125000 is 1,250.00 EUR.",
  as_of: "The database's time of this answer: what counts down counts from here.",
  assigned_to: "Who sees to it, as `user:<name>`; null: nobody yet.",
  at: "When it happened.",
  actor: "Who did it: `user:<name>`, `api_key:<id>`, `service_role` or `system`.",
  actor_issuer: "Of a person, the issuer of their token (`iss`); null for what is no person, and before this was kept.",
  actor_subject: "Of a person, the subject of their token (`sub`), which is theirs alone at its issuer; `actor` is for display.",
  attempt_count: "How often it was tried so far.",
  breach_risk: "How near the deadline is; null when closed.",
  changes: "Each field that changed, with its value before and after.",
  closed_at: "When it was resolved or dismissed.",
  created_at: "When it was created.",
  created_by: "Who created it: `user:<name>`, `api_key:<id>`, `service_role` or `system`.",
  currency: "ISO 4217, of amount_minor.",
  deleted_at: "When it was deleted.",
  delivered_at: "When it arrived.",
  description: "Free text for the people who come after you.",
  details: "Whatever your own systems need to know of it.",
  disabled_at: "When it was disabled.",
  disabled_by: "Who disabled it; `system` where its failures did.",
  dry_run: "Whether nothing was changed, and the answer only says what would be.",
  due_at: "The deadline.",
  duration_ms: "How long the answer took.",
  events: "The kinds of events that are sent to it.",
  expires_at: "From then on it is refused; null: never.",
  failure_kind: "Why it failed, in a word.",
  grace_expires_at: "Since it was rotated: until when it goes on working.",
  id: "Names it in paths and in other records.",
  ip_allowlist: "The addresses and ranges it may be used from; empty: any.",
  items: "This page of the list.",
  last_attempt: "The newest try.",
  last_failure_at: "The newest try that failed.",
  last_seen_at: "The newest call from there.",
  last_success_at: "The newest try that succeeded.",
  last_used_at: "The newest call that was let through; null: never used.",
  last_used_ip: "Where the newest call came from.",
  left_source: "One of the two sides that are compared.",
  limit: "A number of your own, 1 to 250.",
  matched_count: "Items that have their counterpart.",
  minutes_to_breach: "Minutes until due_at, rounded up; zero or negative when breached.",
  name: "Its name, for people.",
  next_attempt_at: "When it is tried next.",
  operation: "A word of your own, by which lists can be filtered.",
  period_end: "The last day of the period.",
  period_start: "The first day of the period.",
  provider: "The system at the other end.",
  published: "Whether anybody may read it, with the publishable key.",
  published_at: "When readers are told it was published.",
  reason_code: "Your own word for the cause, by which causes can be counted.",
  reconciliation_id: "The reconciliation it came from.",
  request_id: "The X-Request-Id of the call that did it.",
  resolution: "How it was settled; comes with resolved and dismissed.",
  revoke_reason: "The reason that was given.",
  revoked_at: "When it was revoked.",
  revoked_by: "Who revoked it; `system` at the end of a grace period.",
  right_source: "The other side.",
  rotated_from: "The key that it took the place of.",
  rotated_to: "The key that takes its place.",
  rotation_recommended_at: "90 days after its creation.",
  scopes: "What it may do: an action and a resource each. Writing does not include reading.",
  severity: "How bad it is. Without due_at, the SLA policy has a time for each.",
  started_at: "When it began.",
  status: "Where it stands.",
  status_code: "The HTTP status of the answer.",
  symptom: "How it shows.",
  tenantId: "The tenant; the same as in X-Tenant-Id.",
  tenant_id: "The tenant.",
  tenant_name: "The tenant's name.",
  timestamp: "When it happened, the same on every attempt.",
  title: "What it is, in a line.",
  type: "Its kind.",
  unmatched_count: "Items that have none.",
  updated_at: "When it was changed last.",
  updated_by: "Who changed it last.",
  url: "Where events are sent.",
  version: "Which version it is about.",
  webhook_id: "The webhook it goes to.",
};

const PARAMETERS: Record<string, string> = {
  assigned_to: "Only what this person sees to.",
  by: "What each row is about.",
  deliveryId: "The delivery.",
  id: "Its id.",
  keyId: "The id of the API key: `key_…`, not the key_id of its credential.",
  reconciliation_id: "Only what came from this reconciliation.",
  severity: "Only of this severity.",
  since: "From this time on.",
  sortBy: "The order.",
  status: "Only in this status.",
  type: "Only of this kind.",
  until: "Before this time.",
};

const VALUES = new Set(["example", "examples", "default", "const", "enum"]);

type Node = { [keyword: string]: unknown };

/** Describes what a document's contracts leave undescribed and the glossary knows. */
export function addDescriptions(node: unknown): void {
  if (Array.isArray(node)) {
    for (const one of node) addDescriptions(one);
  } else if (isNode(node)) {
    if (isNode(node.properties)) describeFields(node.properties);
    if (node.in === "path" || node.in === "query") node.description ??= isTenant(node) ? FIELDS.tenantId : PARAMETERS[String(node.name)];
    for (const [keyword, child] of Object.entries(node)) if (!VALUES.has(keyword)) addDescriptions(child);
  }
}

/** `{id}` of /v1/tenants/{id} is no record's. */
function isTenant({ name, schema }: Node): boolean {
  return name === "id" && isNode(schema) && !String(schema.pattern).includes("_[0-9a-z]");
}

function describeFields(properties: Node): void {
  for (const [name, field] of Object.entries(properties)) {
    const description = FIELDS[name];
    if (description && isNode(field) && !("not" in field) && !isDescribed(field)) field.description = description;
  }
}

function isDescribed({ description, anyOf }: Node): boolean {
  return description !== undefined || (Array.isArray(anyOf) && anyOf.some((choice: Node) => choice.description !== undefined));
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
