/** Written by `npm run generate` from the database's own constraints: what its columns take. Safe in the browser. */

export const API_KEYS = {
  name: { least: 1, most: 120 },
  description: { most: 1000 },
  scopes: { least: 1 },
  ip_allowlist: { most: 50 },
  revoke_reason: { most: 500 },
} as const;

export const CALENDAR_VERSIONS = {
  time_zone: { least: 1, most: 64 },
  weekly: { least: 1, most: 140 },
  special_days: { most: 1000 },
} as const;

export const CALENDARS = {
  name: { least: 1, most: 200 },
} as const;

export const EXCEPTION_HISTORY = {
  kind: ["created", "updated"],
} as const;

export const EXCEPTION_LEDGER = {
  kind: ["set", "moved", "crossed", "paused", "resumed", "recalculated", "resolved", "dismissed", "reopened"],
} as const;

export const EXCEPTIONS = {
  title: { least: 1, most: 200 },
  severity: ["critical", "high", "medium", "low"],
  pause_reason: { least: 1, most: 500 },
  status: ["open", "in_review", "resolved", "dismissed"],
  reason_code: { least: 1, most: 64 },
  amount_minor: { least: 0 },
  details: { most: 24576 },
  resolution: { least: 1, most: 1000 },
} as const;

export const IMPORTS = {
  status: ["receiving", "queued", "reading", "done", "failed", "undoing", "undone"],
  file_name: { least: 1, most: 255 },
} as const;

export const RECONCILIATIONS = {
  name: { least: 1, most: 200 },
  status: ["open", "in_progress", "completed", "archived"],
  left_source: { least: 1, most: 200 },
  right_source: { least: 1, most: 200 },
  matched_count: { least: 0 },
  unmatched_count: { least: 0 },
} as const;

export const RECORDS = {
  operation: { most: 200 },
} as const;

export const SECURITY_EVENTS = {
  credential: ["user", "api_key", "publishable_key", "service_role", "none", "system"],
} as const;

export const SLA_POLICIES = {
  critical_minutes: { least: 1, most: 525600 },
  high_minutes: { least: 1, most: 525600 },
  medium_minutes: { least: 1, most: 525600 },
  low_minutes: { least: 1, most: 525600 },
  at_risk_thresholds: { least: 1, most: 10 },
  pause_max_minutes: { least: 1, most: 525600 },
  pause_max_count: { least: 0, most: 1000 },
  pause_rules: { most: 20 },
} as const;

export const SOURCES = {
  name: { least: 1, most: 200 },
  kind: ["bank_statement", "ledger", "processor", "orders", "other"],
  time_zone: { least: 1, most: 64 },
  sign: ["as_is", "inverted"],
  grace_days: { least: 0, most: 90 },
  line_count: { least: 0 },
} as const;

export const WEBHOOK_ATTEMPTS = {
  cause: ["event", "retry", "resend", "recover"],
  status: ["in_flight", "succeeded", "failed", "interrupted"],
  failure_kind: ["signature_failed", "stale_secret", "timeout", "connection_failed", "blocked_address", "http_error"],
} as const;

export const WEBHOOK_DELIVERIES = {
  status: ["pending", "delivered", "failed"],
  failure_kind: ["retries_exhausted", "webhook_disabled"],
  cause: ["event", "retry", "resend", "recover"],
} as const;

export const WEBHOOKS = {
  url: { most: 2048 },
  description: { most: 1000 },
  events: { least: 1, most: 50 },
  status: ["active", "disabled"],
  disabled_reason: ["manual", "failing", "gone"],
  disabled_detail: { most: 500 },
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
