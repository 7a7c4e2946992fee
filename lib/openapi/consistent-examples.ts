/**
 * Corrections that make the examples consistent: one tenant on one morning, and each response with
 * its request. A field's own example only fits its schema. They are kept outside the contracts,
 * which pages load.
 */
const NOW = "2026-11-20T09:30:00.000Z";
const LAST_WEEK = "2026-11-13T08:00:00.000Z";
const YESTERDAY = "2026-11-19T09:30:00.000Z";
const HALF_AN_HOUR_AGO = "2026-11-20T09:00:00.000Z";
const IN_HALF_AN_HOUR = "2026-11-20T10:00:00.000Z";
const SINCE = "2026-10-21T00:00:00.000Z";
const UNTIL = "2026-11-20T00:00:00.000Z";
const THIS_HOUR = "2026-11-20T09:00:00.000Z";
const TODAY = "2026-11-20T00:00:00.000Z";

type Example = { [field: string]: unknown };

const openException = {
  due_at: IN_HALF_AN_HOUR,
  minutes_to_breach: 30,
  breach_risk: "high",
  created_at: YESTERDAY,
  updated_at: YESTERDAY,
};
const oneAtRisk = { breached_count: 0, at_risk_count: 1, on_track_count: 0, total_open: 1 };
const oneOpen = (
  from_minutes: number | null,
  to_minutes: number | null,
  breach_risk: string,
  open_count: number,
) => ({
  from_minutes,
  to_minutes,
  breach_risk,
  open_count,
});

/**
 * How each component's example differs from its parts' examples. A part comes before the components
 * that contain it.
 */
export const CONSISTENT_SCHEMAS: Record<string, Example> = {
  SlaException: openException,
  SlaItem: openException,
  SlaList: { summary: oneAtRisk },
  SlaChanges: { summary: oneAtRisk },
  TimeToBreach: {
    buckets: [
      oneOpen(null, 0, "breached", 0),
      oneOpen(1, 59, "high", 1),
      oneOpen(60, 240, "medium", 0),
      oneOpen(241, null, "low", 0),
    ],
    summary: oneAtRisk,
  },
  ExceptionChange: { kind: "updated" },
  ExceptionLedger: {
    explanation: "Open, with 30 min left.",
    rows: [
      timelineRow(YESTERDAY, 0, 88_200),
      timelineRow("2026-11-20T09:00:00.000Z", 84_600, 3600, 60),
    ],
  },
  SlaReportRow: { opened: 5, resolved: 4, breached: 1 },
  SlaReport: { since: SINCE, until: UNTIL },
  SlaPolicyImpact: { earlier: 12, by_severity: { critical: 0, high: 12, medium: 0, low: 0 } },
  ImportReport: { refused: 1 },
  BulkUpdate: { updated: 1 },
  ApiKey: {
    created_at: LAST_WEEK,
    expires_at: "2030-05-01T00:00:00.000Z",
    last_used_at: "2026-11-20T09:12:00.000Z",
    grace_expires_at: null,
    rotated_from: null,
    rotated_to: null,
    revoked_at: null,
    revoked_by: null,
    rotation_recommended_at: "2027-02-11T08:00:00.000Z",
    unused_scopes: [],
  },
  NewApiKey: { expires_at: "2030-05-01T00:00:00.000Z" },
  ApiKeyUsage: {
    hours: [{ start: THIS_HOUR, accepted: 32, refused: 3 }],
    days: [{ start: TODAY, accepted: 32, refused: 3 }],
    addresses: [
      { address: "203.0.113.9", calls: 32, in_grace: 0, last_seen_at: "2026-11-20T09:12:00.000Z" },
    ],
  },
  ApiKeyImpact: {
    since: LAST_WEEK,
    by_operation: [{ operation: "createException", refused: 40 }],
    by_address: [{ address: "198.51.100.4", refused: 40 }],
  },
  Webhook: {
    created_at: LAST_WEEK,
    updated_at: LAST_WEEK,
    last_success_at: "2026-11-20T09:12:00.000Z",
    last_failure_at: YESTERDAY,
  },
  NewWebhook: { ...unusedWebhook(), secret: undefined, warning: undefined },
  WebhookAttempt: { started_at: HALF_AN_HOUR_AGO },
  WebhookDelivery: retryingDelivery(),
  WebhookDeliveryDetail: {
    ...retryingDelivery(),
    payload: { type: "exception.created", timestamp: HALF_AN_HOUR_AGO, data: {} },
  },
  SecurityEvent: { prev_hash: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae" },
};

function timelineRow(
  at: string,
  elapsed_seconds: number,
  remaining_seconds: number,
  crossed: number | null = null,
): Example {
  const elapsed = {
    elapsed_seconds,
    worked_seconds: elapsed_seconds,
    closed_seconds: 0,
    paused_seconds: 0,
  };
  const business = { business_moved_seconds: null, business_remaining_seconds: null };
  const clock = {
    due_at: IN_HALF_AN_HOUR,
    threshold_minutes: crossed,
    threshold_kind: crossed === null ? null : "wall_clock",
    ...elapsed,
    moved_seconds: 0,
    remaining_seconds,
    ...business,
  };
  const person = { actor_issuer: "https://login.acme.example", actor_subject: "8f14e45f" };
  const who =
    crossed === null
      ? { actor: "user:ada", ...person, request_id: "req_5f0c" }
      : { actor: "system", actor_issuer: null, actor_subject: null, request_id: null };
  return { at, kind: crossed === null ? "set" : "crossed", ...clock, ...who };
}

function unusedWebhook(): Example {
  const figures = { attempts: 0, failures: 0, success_rate: null, p50_ms: null, p95_ms: null };
  return {
    description: "Pages the reconciliation desk.",
    health: "idle",
    last_24h: figures,
    last_7d: figures,
    last_success_at: null,
  };
}

function retryingDelivery(): Example {
  const at = { created_at: HALF_AN_HOUR_AGO, next_attempt_at: "2026-11-20T09:35:00.000Z" };
  return {
    type: "exception.created",
    status: "retrying",
    reason: "The receiver responded with 503.",
    ...at,
  };
}

const closedException = {
  status: "resolved",
  minutes_to_breach: null,
  breach_risk: null,
  updated_at: NOW,
  closed_at: NOW,
};
const pendingDelivery = {
  status: "pending",
  reason: null,
  attempt_count: 0,
  next_attempt_at: NOW,
  created_at: NOW,
  last_attempt: null,
};
const dualStackAllowlist = { ip_allowlist: ["203.0.113.0/24", "2001:db8::/32"] };
const deletedRecord = { soft_delete: true, deleted_at: NOW, purge_at: "2026-12-20T09:30:00.000Z" };
const items = (change: Example) => (answer: Example) => ({
  ...answer,
  items: (answer.items as Example[]).map((item) => ({ ...item, ...change })),
});
const withFields = (change: Example) => (answer: Example) => ({ ...answer, ...change });

/** How an operation's request or response differs from its schema's example. */
const REQUESTS: Record<string, Example> = {
  createException: { due_at: IN_HALF_AN_HOUR },
  estimateApiKeyImpact: {
    expires_at: undefined,
    revoke: undefined,
    scopes: ["read:reconciliations"],
    ip_allowlist: undefined,
  },
  // Shown without an end, because a time in the future would be in the past when someone copies it
  // later.
  pauseException: { until: undefined },
  recoverWebhook: { since: YESTERDAY },
  createRun: { dry_run: true },
  createMatch: { adjustments: undefined, split_line_id: undefined },
  decideMatches: { filter: undefined, expected_count: undefined },
};

const ANSWERS: Record<string, (answer: Example) => Example> = {
  createException: withFields({ created_at: NOW, updated_at: NOW }),
  listSlaChanges: (answer) => ({
    ...answer,
    items: (answer.items as { changed_at: string; exception: Example }[]).map((item) => ({
      ...item,
      exception: { ...item.exception, updated_at: item.changed_at },
    })),
  }),
  updateException: withFields({
    ...closedException,
    resolution: "Matched by hand to bank line 118.",
  }),
  updateExceptions: items({ ...closedException, resolution: "Settled by the bank." }),
  createApiKey: withFields(dualStackAllowlist),
  updateApiKey: withFields({ ...dualStackAllowlist, description: "Runs on the batch server." }),
  revokeApiKey: withFields({
    status: "revoked",
    revoked_at: NOW,
    revoked_by: "user:ada",
    revoke_reason: "The server was decommissioned.",
  }),
  rotateApiKey: withFields({
    ...dualStackAllowlist,
    id: "key_019aa1d27c3e4b5f9c0d1e2f3a4b5c6d",
    expires_at: "2030-05-08T01:30:00.000Z",
  }),
  updateWebhook: withFields({ events: ["exception.sla.breached"], updated_at: NOW }),
  rotateWebhookSecret: withFields({
    created_at: LAST_WEEK,
    secret_changed_at: NOW,
    previous_secret_expires_at: "2026-11-20T10:30:00.000Z",
  }),
  createRun: withFields({ dry_run: true }),
  createMatch: withFields({ note: "Confirmed by phone" }),
  stateSourceBalance: withFields({ reason: "Trial balance of 31 October" }),
  testWebhook: withFields({ ...pendingDelivery, type: "webhook.test" }),
  resendWebhookDelivery: withFields({ status: "pending", next_attempt_at: NOW }),
  recoverWebhook: withFields({ since: YESTERDAY, dry_run: true }),
};

export function consistentRequest(operationId: string, example: unknown): unknown {
  return operationId in REQUESTS ? { ...(example as Example), ...REQUESTS[operationId] } : example;
}

export function consistentResponse(operationId: string, example: unknown): unknown {
  const keepsDeleted = operationId.startsWith("delete") && "soft_delete" in (example as Example);
  const change = ANSWERS[operationId] ?? (keepsDeleted ? withFields(deletedRecord) : undefined);
  return change ? change(example as Example) : example;
}
