/** Written by `npm run generate` from the database's own constraints: what its columns take. Safe in the browser. */

export const API_KEYS = {
  description: { most: 1000 },
  ip_allowlist: { most: 50 },
  name: { least: 1, most: 120 },
  revoke_reason: { most: 500 },
  scopes: { least: 1 },
} as const;

export const CALENDAR_VERSIONS = {
  special_days: { most: 1000 },
  time_zone: { least: 1, most: 64 },
  weekly: { least: 1, most: 140 },
} as const;

export const CALENDARS = {
  name: { least: 1, most: 200 },
} as const;

export const EXCEPTION_COMMENTS = {
  body: { least: 1, most: 4000 },
  mentions: { most: 20 },
} as const;

export const EXCEPTION_HISTORY = {
  kind: ["created", "updated"],
} as const;

export const EXCEPTION_LEDGER = {
  kind: ["set", "moved", "crossed", "paused", "resumed", "recalculated", "resolved", "dismissed", "reopened"],
} as const;

export const EXCEPTIONS = {
  amount_minor: { least: 0 },
  details: { most: 24576 },
  pause_reason: { least: 1, most: 500 },
  reason_code: { least: 1, most: 64 },
  resolution: { least: 1, most: 1000 },
  severity: ["critical", "high", "medium", "low"],
  status: ["open", "in_review", "resolved", "dismissed"],
  title: { least: 1, most: 200 },
} as const;

export const IMPORTS = {
  file_name: { least: 1, most: 255 },
  status: ["receiving", "queued", "reading", "done", "failed", "undoing", "undone"],
} as const;

export const RECONCILIATIONS = {
  left_source: { least: 1, most: 200 },
  matched_count: { least: 0 },
  name: { least: 1, most: 200 },
  right_source: { least: 1, most: 200 },
  status: ["open", "in_progress", "completed", "archived"],
  unmatched_count: { least: 0 },
} as const;

export const RECORDS = {
  operation: { most: 200 },
} as const;

export const REQUEST_LOG = {
  credential: ["session", "token", "api_key", "publishable_key", "service_role"],
} as const;

export const SECURITY_EVENTS = {
  credential: ["user", "api_key", "publishable_key", "service_role", "none", "system"],
} as const;

export const SLA_POLICIES = {
  at_risk_business_thresholds: { most: 10 },
  at_risk_thresholds: { least: 0, most: 10 },
  critical_minutes: { least: 1, most: 525600 },
  high_minutes: { least: 1, most: 525600 },
  low_minutes: { least: 1, most: 525600 },
  medium_minutes: { least: 1, most: 525600 },
  pause_max_count: { least: 0, most: 1000 },
  pause_max_minutes: { least: 1, most: 525600 },
  pause_rules: { most: 20 },
} as const;

export const SOURCES = {
  grace_days: { least: 0, most: 90 },
  kind: ["bank_statement", "ledger", "processor", "orders", "other"],
  line_count: { least: 0 },
  name: { least: 1, most: 200 },
  sign: ["as_is", "inverted"],
  time_zone: { least: 1, most: 64 },
} as const;

export const VIEWS = {
  filters: { most: 16384 },
  name: { least: 1, most: 80 },
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
  description: { most: 1000 },
  disabled_detail: { most: 500 },
  disabled_reason: ["manual", "failing", "gone"],
  events: { least: 1, most: 50 },
  status: ["active", "disabled"],
  url: { most: 2048 },
} as const;

export const OPEN_EXCEPTION_STATUSES = ["open", "in_review"] as const;

export const BREACH_RISKS = ["breached", "high", "medium", "low"] as const;

export const RISK_MINUTES = { high_below: 60, medium_up_to: 240 } as const;

export const RECONCILIATION_MOVES = {
  open: ["in_progress", "archived"],
  in_progress: ["open", "completed", "archived"],
  completed: ["in_progress", "archived"],
  archived: [],
} as const;
