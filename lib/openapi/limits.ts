/**
 * The maximum size of texts and lists in responses, by field; each is enforced on input or by the
 * database. They are kept outside the contracts, because there, every response would needlessly be
 * checked against them. A schema's own limit wins.
 */
const LENGTHS: Record<string, number> = {
  about: 64,
  account: 200,
  actor: 125,
  actor_issuer: 255,
  actor_subject: 255,
  closer_issuer: 255,
  closer_subject: 255,
  address: 45,
  body: 16_384,
  by: 125,
  counterparty: 500,
  created_by: 125,
  closing_failure: 1000,
  exported_by: 125,
  prepared_by: 125,
  reviewed_by: 125,
  currency: 3,
  description: 1000,
  detail: 1000,
  details: 64,
  disabled_by: 125,
  disabled_detail: 1000,
  email: 254,
  encoding: 32,
  error_code: 32,
  event_id: 44,
  example: 1000,
  explanation: 500,
  external_id: 200,
  failing_since: 24,
  failure: 1000,
  field: 200,
  file_name: 255,
  group_key: 200,
  hash: 64,
  headers: 16_384,
  home_tenant_id: 71,
  sandbox_id: 71,
  id: 255,
  ip_allowlist: 49,
  key: 125,
  key_id: 44,
  key_secret: 58,
  issuer: 255,
  kind: 32,
  last_used_ip: 45,
  mapping: 8000,
  message: 2000,
  method: 200,
  name: 200,
  next_cursor: 2000,
  operation: 200,
  path: 16_384,
  pause_reason: 500,
  prev_hash: 64,
  query: 2048,
  reads_as: 200,
  resource: 200,
  reason: 1000,
  reason_code: 64,
  reference: 500,
  request_id: 64,
  resolution: 1000,
  revoke_reason: 500,
  reopened_by: 125,
  revoked_by: 125,
  roles: 32,
  samples: 4000,
  scopes: 64,
  secret: 50,
  sent_by: 125,
  signed_by: 125,
  signature: 86,
  subject: 255,
  target: 255,
  reconciliation_name: 200,
  source_name: 200,
  tenant_name: 200,
  tenantId: 63,
  time_zone: 64,
  title: 200,
  type: 200,
  undone_by: 125,
  unused_scopes: 64,
  webhooks: 250,
  updated_by: 125,
  stage: 200,
  digest: 64,
  sha256: 64,
  media_type: 100,
  engine_version: 20,
  rule: 200,
  finding: 200,
  left: 2000,
  right: 2000,
  note: 1000,
  left_source: 200,
  right_source: 200,
  closed_by: 125,
  decided_by: 125,
  amount_used_minor: 40,
  url: 2048,
  value: 1000,
  version: 16,
  warning: 200,
  webhook_id: 44,
};

/** The length of names in objects that can hold anything, bounded by a record's 64 kB. */
const ANY_NAME = 65_536;

const COUNTS: Record<string, number> = {
  breaks: 100,
  addresses: 100,
  adjustments: 1000,
  aging: 2000,
  amounts: 200,
  at_risk_business_thresholds: 10,
  at_risk_thresholds: 10,
  attempts: 1000,
  balances: 400,
  buckets: 32,
  by_address: 10_000,
  by_operation: 200,
  calls: 5,
  days: 90,
  differences: 200,
  errors: 1000,
  events: 32,
  exclusions: 1000,
  expiring: 5,
  fields: 16,
  findings: 100,
  hours: 169,
  imports: 5,
  ip_allowlist: 50,
  line_ids: 100_000,
  match_ids: 1000,
  members: 100_000,
  money: 200,
  my_next: 5,
  next: 5,
  on: 6,
  outstanding: 250,
  items: 1000,
  lines: 1000,
  reconciliations: 8,
  residuals: 1000,
  roles: 16,
  rows: 10_000,
  segments: 50_000,
  rules: 20,
  runs: 5,
  samples: 20,
  scopes: 64,
  severities: 10,
  steps: 150,
  suggested: 400,
  unused_scopes: 64,
  waterfall: 100,
  webhooks: 250,
};

/** The length implied by a pattern or format. */
const FORMS: [RegExp, number][] = [
  [/^\^[a-z]{3}_\[0-9a-z\]\{20,40\}\$$/, 44],
  [/^\^user:/, 125],
  [/^\^\[a-z0-9\]\[a-z0-9_-\]\{0,62\}\$$/, 63],
  [/^\^\[a-z_\]/, 200],
  [/^\^-\?\\d\{16,40\}\$$/, 41],
  [/3\}Z\$$/, 24],
];
const FORMATS: Record<string, number> = { date: 10, "date-time": 64, uri: 2048 };

const INT32_MAX = 2 ** 31 - 1;
const VALUES = new Set(["example", "examples", "default", "const", "enum"]);

type Node = { [keyword: string]: unknown };

/**
 * Adds a limit or format to each text, list and integer whose contract has none. @throws Error that
 * names a field without a known limit
 */
export function addLimits(node: unknown, name = "", path = ""): void {
  if (Array.isArray(node)) {
    for (const [index, one] of node.entries()) addLimits(one, name, `${path}/${index}`);
    return;
  }
  if (typeof node !== "object" || node === null) return;
  const schema = node as Node;
  const types = new Set([schema.type].flat());
  if (types.has("string") && !isLimited(schema)) schema.maxLength = lengthOf(schema, name, path);
  if (types.has("array") && schema.maxItems === undefined)
    schema.maxItems = required(COUNTS[name] ?? (schema.items ? undefined : 1), path);
  if (types.has("integer") && schema.enum === undefined) {
    schema.format ??=
      typeof schema.maximum === "number" && schema.maximum <= INT32_MAX ? "int32" : "int64";
  }
  for (const [keyword, child] of Object.entries(schema)) {
    if (VALUES.has(keyword)) continue;
    if (keyword === "properties")
      for (const [field, one] of Object.entries(child as Node))
        addLimits(one, field, `${path}/${field}`);
    else addLimits(child, keyword === "propertyNames" ? keyword : name, `${path}/${keyword}`);
  }
}

/** A file, recognised by its media type, is as long as its list and needs no limit. */
function isLimited({ maxLength, enum: values, const: value, contentMediaType }: Node): boolean {
  return (
    maxLength !== undefined ||
    values !== undefined ||
    value !== undefined ||
    contentMediaType !== undefined
  );
}

function lengthOf({ pattern, format }: Node, name: string, path: string): number {
  if (name === "propertyNames") return ANY_NAME;
  const form =
    typeof pattern === "string" ? FORMS.find(([known]) => known.test(pattern))?.[1] : undefined;
  return required(form ?? FORMATS[String(format)] ?? LENGTHS[name], path);
}

function required(limit: number | undefined, path: string): number {
  if (limit === undefined)
    throw new Error(`${path} has no limit: add one to its schema, or to its name here.`);
  return limit;
}
