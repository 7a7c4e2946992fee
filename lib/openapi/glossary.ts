/**
 * Descriptions of fields that have the same name everywhere. They are kept outside the contracts,
 * which pages load without needing descriptions. A contract's own description wins.
 */
const FIELDS: Record<string, string> = {
  amount_minor: "Money at risk, in the currency's minor unit: 125000 is 1,250.00 EUR.",
  as_of: "The database's time for this response, from which times left are counted.",
  assigned_to: "The assignee, as `user:<name>`. Null: unassigned.",
  at: "When it happened.",
  actor: "Who did it: `user:<name>`, `api_key:<id>`, `service_role` or `system`.",
  actor_issuer:
    "The issuer of the person's token (`iss`). Null if the actor isn't a person, or for older " +
    "entries.",
  actor_subject:
    "The subject of the person's token (`sub`), unique at its issuer; `actor` is for display.",
  attempt_count: "Number of attempts so far.",
  breach_risk: "How close the deadline is. Null when closed.",
  changes: "Each field that changed, with its value before and after.",
  closed_at: "When it was resolved or dismissed.",
  created_at: "When it was created.",
  created_by: "Who created it: `user:<name>`, `api_key:<id>`, `service_role` or `system`.",
  currency: "The ISO 4217 code for amount_minor.",
  deleted_at: "When it was deleted.",
  delivered_at: "When it arrived.",
  description: "Free text for your team.",
  details: "Any data your own systems need.",
  disabled_at: "When it was disabled.",
  disabled_by: "Who disabled it. `system` if its failures did.",
  dry_run: "If true, nothing was changed and the response is a preview.",
  due_at: "The deadline.",
  duration_ms: "Response time.",
  events: "The event types it subscribes to.",
  expires_at: "It stops working at this time. Null: never.",
  failure_kind: "The kind of failure.",
  grace_expires_at: "After a rotation: it works until this time.",
  id: "Its unique ID.",
  ip_allowlist: "The addresses and ranges it can be used from. Empty: any.",
  items: "The items on this page.",
  last_attempt: "The latest attempt.",
  last_failure_at: "The latest failed attempt.",
  last_seen_at: "The latest call from there.",
  last_success_at: "The latest successful attempt.",
  last_used_at: "The latest accepted call. Null: never used.",
  last_used_ip: "The address of the latest call.",
  left_source: "One of the two sides compared.",
  limit: "Your own number, 1 to 250.",
  matched_count: "Items with a counterpart.",
  minutes_to_breach: "Minutes until due_at, rounded up. Zero or negative when breached.",
  name: "Its display name.",
  next_attempt_at: "When it is attempted next.",
  operation: "Your own keyword for filtering lists.",
  period_end: "The last day of the period.",
  period_start: "The first day of the period.",
  provider: "The connected system.",
  published: "Whether anyone can read it with the publishable key.",
  published_at: "The publication time shown to readers.",
  reason_code: "Your own code for the cause.",
  reconciliation_id: "The reconciliation it came from.",
  request_id: "The X-Request-Id of the request.",
  resolution: "How it was settled. Required for resolved and dismissed.",
  revoke_reason: "The reason given.",
  revoked_at: "When it was revoked.",
  revoked_by: "Who revoked it. `system` at the end of a grace period.",
  right_source: "The other side.",
  rotated_from: "The key it replaced.",
  rotated_to: "The key that replaces it.",
  rotation_recommended_at: "90 days after its creation.",
  scopes:
    "What it can do, each an action and a resource. Write access doesn't include read access.",
  severity: "How severe it is. Without due_at, the SLA policy sets the deadline by severity.",
  started_at: "When it began.",
  status: "Its status.",
  status_code: "The HTTP status of the response.",
  symptom: "What the reader sees.",
  tenantId: "The tenant. Must match X-Tenant-Id.",
  tenant_id: "The tenant.",
  tenant_name: "The tenant's name.",
  timestamp: "When it happened, the same on every attempt.",
  title: "A one-line summary.",
  type: "Its type.",
  unmatched_count: "Items without a counterpart.",
  updated_at: "When it was last changed.",
  updated_by: "Who last changed it.",
  url: "Where events are sent.",
  version: "The version it describes.",
  webhook_id: "The webhook it goes to.",
};

const PARAMETERS: Record<string, string> = {
  assigned_to: "Only items assigned to this user.",
  by: "What each row counts.",
  deliveryId: "The delivery.",
  id: "Its ID.",
  keyId: "The API key's ID (`key_…`), not the key_id of its credential.",
  reconciliation_id: "Only items from this reconciliation.",
  severity: "Only with this severity.",
  since: "At or after this time.",
  sortBy: "The sort order.",
  status: "Only with this status.",
  type: "Only of this type.",
  until: "Before this time.",
};

const VALUES = new Set(["example", "examples", "default", "const", "enum"]);

type Node = { [keyword: string]: unknown };

/** Adds a glossary description to each field that its contract doesn't describe. */
export function addDescriptions(node: unknown): void {
  if (Array.isArray(node)) {
    for (const one of node) addDescriptions(one);
  } else if (isNode(node)) {
    if (isNode(node.properties)) describeFields(node.properties);
    if (node.in === "path" || node.in === "query")
      node.description ??= isTenant(node) ? FIELDS.tenantId : PARAMETERS[String(node.name)];
    for (const [keyword, child] of Object.entries(node))
      if (!VALUES.has(keyword)) addDescriptions(child);
  }
}

/** The `{id}` of /v1/tenants/{id} identifies a tenant, not a record. */
function isTenant({ name, schema }: Node): boolean {
  return name === "id" && isNode(schema) && !String(schema.pattern).includes("_[0-9a-z]");
}

function describeFields(properties: Node): void {
  for (const [name, field] of Object.entries(properties)) {
    const description = FIELDS[name];
    if (description && isNode(field) && !("not" in field) && !isDescribed(field))
      field.description = description;
  }
}

function isDescribed({ description, anyOf }: Node): boolean {
  return (
    description !== undefined ||
    (Array.isArray(anyOf) && anyOf.some((choice: Node) => choice.description !== undefined))
  );
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
