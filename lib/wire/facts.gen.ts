/** Written by `npm run generate` from the database's own constraints: what its columns take. Safe in the browser. */

export const API_KEYS = {
  description: { max: 1000 },
  ip_allowlist: { max: 50 },
  name: { min: 1, max: 120 },
  revoke_reason: { max: 500 },
  scopes: { min: 1 },
} as const;

export const CALENDAR_VERSIONS = {
  special_days: { max: 1000 },
  time_zone: { min: 1, max: 64 },
  weekly: { min: 1, max: 140 },
} as const;

export const CALENDARS = {
  name: { min: 1, max: 200 },
} as const;

export const CONNECTION_FILES = {
  bytes: { min: 0 },
  error: { max: 1000 },
  outcome: ["fetching", "importing", "imported", "duplicate", "failed", "undone"],
  path: { min: 1, max: 255 },
  sender: { max: 320 },
} as const;

export const CONNECTIONS = {
  address: { min: 1, max: 2048 },
  afterwards: ["leave", "move", "delete"],
  allowed_senders: { max: 50 },
  auth: ["none", "bearer", "signed_query", "password", "private_key", "access_key"],
  file_glob: { min: 1, max: 200 },
  host_key: { min: 1, max: 100 },
  kind: ["https", "s3", "sftp", "mail"],
  last_error: { max: 1000 },
  last_outcome: ["fetched", "nothing_new", "failed"],
  move_to: { min: 1, max: 100 },
  region: { min: 1, max: 64 },
  stable_seconds: { min: 0, max: 300 },
  status: ["active", "paused", "stopped"],
  user_name: { min: 1, max: 200 },
} as const;

export const EXCEPTION_COMMENTS = {
  body: { min: 1, max: 4000 },
  mentions: { max: 20 },
} as const;

export const EXCEPTION_HISTORY = {
  kind: ["created", "updated"],
} as const;

export const EXCEPTION_LEDGER = {
  kind: ["set", "moved", "crossed", "paused", "resumed", "recalculated", "resolved", "dismissed", "reopened"],
} as const;

export const EXCEPTIONS = {
  amount_minor: { min: 0 },
  details: { max: 24576 },
  pause_reason: { min: 1, max: 500 },
  reason_code: { min: 1, max: 64 },
  resolution: { min: 1, max: 1000 },
  severity: ["critical", "high", "medium", "low"],
  status: ["open", "in_review", "resolved", "dismissed"],
  title: { min: 1, max: 200 },
} as const;

export const IMPORTS = {
  file_name: { min: 1, max: 255 },
  status: ["receiving", "queued", "reading", "done", "failed", "undoing", "undone"],
} as const;

export const RECONCILIATIONS = {
  left_source: { min: 1, max: 200 },
  matched_count: { min: 0 },
  name: { min: 1, max: 200 },
  right_source: { min: 1, max: 200 },
  status: ["open", "in_progress", "completed", "archived"],
  unmatched_count: { min: 0 },
} as const;

export const RECORDS = {
  operation: { max: 200 },
} as const;

export const REQUEST_LOG = {
  credential: ["session", "token", "api_key", "publishable_key", "service_role"],
} as const;

export const SECURITY_EVENTS = {
  credential: ["user", "api_key", "publishable_key", "service_role", "none", "system"],
} as const;

export const SLA_POLICIES = {
  at_risk_business_thresholds: { max: 10 },
  at_risk_thresholds: { min: 0, max: 10 },
  critical_minutes: { min: 1, max: 525600 },
  high_minutes: { min: 1, max: 525600 },
  low_minutes: { min: 1, max: 525600 },
  medium_minutes: { min: 1, max: 525600 },
  pause_max_count: { min: 0, max: 1000 },
  pause_max_minutes: { min: 1, max: 525600 },
  pause_rules: { max: 20 },
} as const;

export const SOURCES = {
  grace_days: { min: 0, max: 90 },
  kind: ["bank_statement", "ledger", "processor", "orders", "other"],
  line_count: { min: 0 },
  name: { min: 1, max: 200 },
  sign: ["as_is", "inverted"],
  time_zone: { min: 1, max: 64 },
} as const;

export const VIEWS = {
  filters: { max: 16384 },
  name: { min: 1, max: 80 },
  sort_by: ["due_at", "severity", "assigned_to", "breach_risk", "amount"],
} as const;

export const WEBHOOK_ATTEMPTS = {
  cause: ["event", "retry", "resend", "recover"],
  failure_kind: ["signature_failed", "stale_secret", "timeout", "connection_failed", "blocked_address", "http_error"],
  status: ["in_flight", "succeeded", "failed", "interrupted"],
} as const;

export const WEBHOOK_DELIVERIES = {
  cause: ["event", "retry", "resend", "recover"],
  failure_kind: ["retries_exhausted", "webhook_disabled"],
  status: ["pending", "delivered", "failed"],
} as const;

export const WEBHOOKS = {
  description: { max: 1000 },
  disabled_detail: { max: 500 },
  disabled_reason: ["manual", "failing", "gone"],
  events: { min: 1, max: 50 },
  filters: { max: 8000 },
  header_names: { max: 10 },
  max_per_minute: { min: 1, max: 6000 },
  oauth: { max: 4000 },
  status: ["active", "disabled"],
  url: { max: 2048 },
} as const;

export const OPEN_EXCEPTION_STATUSES = ["open", "in_review"] as const;

export const BREACH_RISKS = ["breached", "high", "medium", "low"] as const;

export const ENTRY_KINDS = ["fee", "fx", "rounding", "write_off", "other", "residual", "excluded_left", "excluded_right", "carried_left", "carried_right"] as const;

export const RISK_MINUTES = { high_below: 60, medium_up_to: 240 } as const;

export const RECONCILIATION_MOVES = {
  open: ["in_progress", "archived"],
  in_progress: ["open", "completed", "archived"],
  completed: ["in_progress", "archived"],
  archived: [],
} as const;
