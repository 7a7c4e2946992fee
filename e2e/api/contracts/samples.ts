import { api, enrol, sql, uniqueName, userToken } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { RECORD_CONTRACTS } from "#lib/records/contract.ts";
import { SURFACES } from "#lib/records/surfaces/every-surface.ts";
import type { Surface } from "#lib/records/surfaces/surface.ts";
import type { Contract } from "#lib/wire/contract.ts";

/** A tenant and the token of its admin. */
export type Fixture = { tenant: string; admin: string };

/** The parts of a valid call. The tenant in a path is filled in automatically. */
export type Sample = {
  /** If it isn't the fixture's. */
  tenant?: string;
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  upload?: { type: string; text: string };
};

/** One for all, so that two samples differ in what makes them unique alone. */
const IN_A_YEAR = new Date(Date.now() + 365 * 86_400_000).toISOString();

const exceptions = {
  path: () => "/v1/exceptions",
  body: () => ({
    title: uniqueName("Payout"),
    severity: "high",
    due_at: IN_A_YEAR,
    details: { line: 118 },
  }),
};
const reconciliations = {
  path: () => "/v1/reconciliations",
  body: () => ({
    name: uniqueName("Payouts to bank"),
    period_start: "2026-10-01",
    period_end: "2026-10-31",
    left_source: "stripe.payouts",
    right_source: "bank.statement",
  }),
};
const sources = {
  path: () => "/v1/sources",
  body: () => ({ name: uniqueName("Bank"), kind: "bank_statement", currency: "EUR" }),
};
const views = {
  path: () => "/v1/views",
  body: () => ({ name: uniqueName("View"), shared: true, filters: { severity: ["critical"] } }),
};
const calendars = {
  path: () => "/v1/calendars",
  body: () => ({
    name: uniqueName("Office"),
    time_zone: "Europe/Berlin",
    weekly: [{ day: "monday", from: "09:00", to: "17:00" }],
  }),
};
const connections = {
  path: () => "/v1/connections",
  // A port where nothing listens.
  body: async (fixture: Fixture) => ({
    source_id: await created(fixture, sources),
    kind: "sftp",
    address: "sftp://127.0.0.1:9/outgoing",
    auth: "password",
    user_name: "acme",
    credential: "b7c1e0d9be7a84c5f",
  }),
};
const connected = async (fixture: Fixture) => {
  const { json } = await api("POST", connections.path(), {
    bearer: fixture.admin,
    tenant: fixture.tenant,
    body: await connections.body(fixture),
  });
  return (json as { id: string }).id;
};
const LINE = { amount: "12.50", value_date: "2026-10-05" };
const EVIDENCE = { type: "text/plain", text: "Approved by phone." };
const BALANCE = { day: "2026-10-31", amount: "12.50", reason: "Trial balance" };
const ENTRY_RULES = {
  carried_left: { account: "4970", counter_account: "1200", text: "Open {reference}" },
};
const apiKeys = {
  path: ({ tenant }: Fixture) => `/v1/tenants/${tenant}/api-keys`,
  body: () => ({ name: uniqueName("Key"), scopes: ["read:exceptions"] }),
};

const invitations = {
  path: ({ tenant }: Fixture) => `/v1/tenants/${tenant}/invitations`,
  body: () => ({ email: `${uniqueName("nia")}@mail.example`, roles: ["tenant_analyst"] }),
};

const alertChannels = {
  path: () => "/v1/alert-channels",
  body: () => ({
    name: uniqueName("Ops"),
    url: "http://127.0.0.1:9/services/T/B/XXXXXXXX",
    kinds: ["exception_breached"],
  }),
};

// A port where nothing listens: a test event fails at once.
const webhooks = {
  path: () => "/v1/webhooks",
  body: () => ({
    url: "http://127.0.0.1:9/",
    events: ["webhook.failing"],
    secret: uniqueName("a secret of mine"),
  }),
};

const PERIOD = { since: "2026-01-01T00:00:00.000Z", until: "2026-02-01T00:00:00.000Z" };

/**
 * Operation → a valid call, each time of a new record. Operations that need neither a record nor a
 * body need no entry.
 */
const SAMPLES: Record<string, (fixture: Fixture) => Sample | Promise<Sample>> = {
  getEvent: async (fixture) => ({
    params: {
      id: await created(fixture, {
        path: () => "/v1/events",
        body: () => ({ type: "exception.created" }),
      }),
    },
  }),
  previewWebhookFilters: () => ({ body: { events: ["webhook.failing"] } }),
  createTestEvent: () => ({ body: { type: "webhook.failing" } }),
  putFirstSteps: () => ({ body: { dismissed: true } }),
  resetSandbox: async (fixture) => {
    const { tenant_id } = await posted<{ tenant_id: string }>(fixture, "/v1/sandbox");
    return { tenant: tenant_id, body: { sample: false } };
  },
  createException: () => ({ body: exceptions.body() }),
  getException: async (fixture) => ({ params: { id: await created(fixture, exceptions) } }),
  updateException: async (fixture) => ({
    params: { id: await created(fixture, exceptions) },
    body: { title: uniqueName("Renamed") },
  }),
  pauseException: async (fixture) => ({
    params: { id: await created(fixture, exceptions) },
    body: { reason: uniqueName("Waiting") },
  }),
  resumeException: async (fixture) => {
    const id = await created(fixture, exceptions);
    await posted(fixture, `/v1/exceptions/${id}/pause`, { reason: "Waiting" });
    return { params: { id } };
  },
  updateExceptions: async (fixture) => ({
    body: { ids: [await created(fixture, exceptions)], patch: { reason_code: uniqueName("r") } },
  }),
  importExceptions: () => ({
    upload: { type: "application/x-ndjson", text: `${JSON.stringify(exceptions.body())}\n` },
  }),
  listExceptionHistory: async (fixture) => ({ params: { id: await created(fixture, exceptions) } }),
  listExceptionComments: async (fixture) => ({
    params: { id: await created(fixture, exceptions) },
  }),
  createExceptionComment: async (fixture) => ({
    params: { id: await created(fixture, exceptions) },
    body: { body: uniqueName("Told") },
  }),
  getExceptionLedger: async (fixture) => ({ params: { id: await created(fixture, exceptions) } }),
  listSlaChanges: () => ({ query: { since: new Date().toISOString() } }),
  getSlaReport: () => ({ query: PERIOD }),
  exportSlaReport: () => ({ query: { ...PERIOD, format: "csv" } }),
  exportSlaExceptions: () => ({ query: { format: "ndjson" } }),
  exportExceptions: () => ({ query: { format: "csv" } }),
  exportSecurityEvents: () => ({ query: { format: "ndjson" } }),
  putSlaPolicy: () => ({
    body: {
      minutes_to_resolve: { critical: 60, high: 120, medium: 240, low: 480 },
      at_risk_thresholds: [240, 60],
    },
  }),

  createCalendar: () => ({ body: calendars.body() }),
  getCalendar: async (fixture) => ({ params: { id: await created(fixture, calendars) } }),
  putCalendar: async (fixture) => ({
    params: { id: await created(fixture, calendars) },
    body: calendars.body(),
  }),
  listCalendarVersions: async (fixture) => ({ params: { id: await created(fixture, calendars) } }),
  listOpenHours: async (fixture) => ({
    params: { id: await created(fixture, calendars) },
    query: PERIOD,
  }),
  listHolidays: () => ({ query: { country: "DE", region: "BY", year: "2027" } }),
  readIcs: () => ({ body: { ics: "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n" } }),
  getCalendarIcs: async (fixture) => ({ params: { id: await created(fixture, calendars) } }),

  createReconciliation: () => ({ body: reconciliations.body() }),
  getReconciliation: async (fixture) => ({
    params: { id: await created(fixture, reconciliations) },
  }),
  updateReconciliation: async (fixture) => ({
    params: { id: await created(fixture, reconciliations) },
    body: { name: uniqueName("Renamed") },
  }),

  getRules: async (fixture) => ({ params: { id: (await period(fixture)).id } }),
  putRules: async (fixture) => ({
    params: { id: (await period(fixture)).id },
    body: {
      rules: [{ name: uniqueName("Rule"), kind: "exact", on: ["reference"], then: "match" }],
    },
  }),
  createRun: async (fixture) => ({ params: { id: (await period(fixture)).id }, body: {} }),
  listRuns: async (fixture) => ({ params: { id: (await period(fixture)).id } }),
  getRun: async (fixture) => ({ params: { id: await startedRun(fixture) } }),
  listMatches: async (fixture) => ({ params: { id: (await period(fixture)).id } }),
  exportMatches: async (fixture) => ({
    params: { id: (await period(fixture)).id },
    query: { format: "csv" },
  }),
  createMatch: async (fixture) => {
    const { id, lines } = await period(fixture);
    return { params: { id }, body: { line_ids: lines } };
  },
  getMatch: async (fixture) => ({ params: { id: await matchByHand(fixture) } }),
  confirmMatch: async (fixture) => ({ params: { id: await suggestedMatch(fixture) } }),
  rejectMatch: async (fixture) => ({ params: { id: await suggestedMatch(fixture) } }),
  undoMatch: async (fixture) => ({ params: { id: await matchByHand(fixture) } }),
  decideMatches: async (fixture) => ({
    body: { action: "confirm", ids: [await suggestedMatch(fixture)] },
  }),
  listSuggestionBands: async (fixture) => ({ params: { id: (await period(fixture)).id } }),
  sampleSuggestions: async (fixture) => ({
    params: { id: (await period(fixture)).id },
    query: { method: "Same amount" },
  }),
  listOpenLines: async (fixture) => ({ params: { id: (await period(fixture)).id } }),
  listDecisions: async (fixture) => ({ params: { id: (await period(fixture)).id } }),
  undoDecision: async (fixture) => ({ params: { id: await decisionOf(fixture) } }),
  listLineSuggestions: async (fixture) => ({ params: { id: (await period(fixture)).lines[0] } }),
  excludeLine: async (fixture) => ({
    params: { id: (await period(fixture)).lines[0] },
    body: { reason: uniqueName("Not ours") },
  }),
  includeLine: async (fixture) => ({
    params: { id: await excludedLine(fixture) },
    body: { reason: uniqueName("Ours") },
  }),
  getProof: async (fixture) => ({ params: { id: (await period(fixture)).id } }),
  getStatement: async (fixture) => ({ params: { id: (await period(fixture)).id } }),
  getStatementPdf: async (fixture) => ({ params: { id: (await period(fixture)).id } }),
  exportStatement: async (fixture) => ({
    params: { id: (await period(fixture)).id },
    query: { format: "csv" },
  }),
  listSignedStatements: async (fixture) => ({ params: { id: (await period(fixture)).id } }),
  getSignedStatement: async (fixture) => {
    const { id } = await period(fixture);
    await posted(fixture, `/v1/reconciliations/${id}/close`);
    return { params: { id, number: "1" } };
  },
  getStatementBundle: async (fixture) => {
    const { id } = await period(fixture);
    await posted(fixture, `/v1/reconciliations/${id}/close`);
    return { params: { id, number: "1" } };
  },
  getChecklist: async (fixture) => ({ params: { id: (await period(fixture)).id } }),
  prepareReconciliation: async (fixture) => ({ params: { id: (await period(fixture)).id } }),
  reviewReconciliation: async (fixture) => ({ params: { id: await preparedPeriod(fixture) } }),
  returnReconciliation: async (fixture) => ({
    params: { id: await preparedPeriod(fixture) },
    body: { reason: uniqueName("The fee has no evidence") },
  }),
  getClosingBoard: () => ({ query: { from: "2026-06", to: "2026-11" } }),
  openNextPeriods: async (fixture) => {
    const [left_source_id, right_source_id] = (await period(fixture)).sources;
    return { body: { through: "2026-12", pairs: [{ left_source_id, right_source_id }] } };
  },
  closeReconciliation: async (fixture) => ({ params: { id: (await period(fixture)).id } }),
  reopenReconciliation: async (fixture) => {
    const { id } = await period(fixture);
    await posted(fixture, `/v1/reconciliations/${id}/close`);
    return { params: { id }, body: { reason: uniqueName("A page was missing") } };
  },
  getEntryRules: async (fixture) => ({ params: { id: (await period(fixture)).id } }),
  putEntryRules: async (fixture) => ({
    params: { id: (await period(fixture)).id },
    body: { rules: ENTRY_RULES },
  }),
  previewEntries: async (fixture) => ({
    params: { id: (await period(fixture)).id },
    body: { rules: ENTRY_RULES },
  }),
  getEntryBatch: async (fixture) => ({ params: { id: await entryBatch(fixture) } }),
  listEntries: async (fixture) => ({ params: { id: await entryBatch(fixture) } }),
  exportEntries: async (fixture) => ({
    params: { id: await entryBatch(fixture) },
    query: { format: "csv" },
  }),
  getLedgerFile: async (fixture) => ({
    params: { id: await entryBatch(fixture) },
    query: { format: "netsuite" },
  }),
  markEntryBatchExported: async (fixture) => ({
    params: { id: await entryBatch(fixture) },
    body: { ledger_reference: uniqueName("JE") },
  }),
  pushEntryBatch: async (fixture) => {
    const push = { connection_id: await connected(fixture), format: "csv" };
    return { params: { id: await entryBatch(fixture, { push }) } };
  },
  createSource: () => ({ body: sources.body() }),
  getSource: async (fixture) => ({ params: { id: await created(fixture, sources) } }),
  updateSource: async (fixture) => ({
    params: { id: await created(fixture, sources) },
    body: { name: uniqueName("Renamed") },
  }),
  listSourceBalances: async (fixture) => ({ params: { id: await created(fixture, sources) } }),
  stateSourceBalance: async (fixture) => ({
    params: { id: await created(fixture, sources) },
    body: BALANCE,
  }),
  getSourceBalance: async (fixture) => {
    const id = await created(fixture, sources);
    const balance = await posted(fixture, `/v1/sources/${id}/balances`, BALANCE);
    return { params: { id, balanceId: balance.id } };
  },
  removeSourceBalance: async (fixture) => {
    const id = await created(fixture, sources);
    const balance = await posted(fixture, `/v1/sources/${id}/balances`, BALANCE);
    return { params: { id, balanceId: balance.id } };
  },
  createConnection: async (fixture) => ({ body: await connections.body(fixture) }),
  getConnection: async (fixture) => ({ params: { id: await connected(fixture) } }),
  updateConnection: async (fixture) => ({
    params: { id: await connected(fixture) },
    body: { file_glob: `${uniqueName("day")}*` },
  }),
  deleteConnection: async (fixture) => ({ params: { id: await connected(fixture) } }),
  testConnection: async (fixture) => ({ params: { id: await connected(fixture) } }),
  fetchConnection: async (fixture) => ({ params: { id: await connected(fixture) } }),
  listConnectionFiles: async (fixture) => ({ params: { id: await connected(fixture) } }),
  addEvidence: async (fixture) => ({
    query: { subject_id: await created(fixture, reconciliations), file_name: "note.txt" },
    upload: EVIDENCE,
  }),
  listEvidence: async (fixture) => ({
    query: { subject_id: await created(fixture, reconciliations) },
  }),
  getEvidence: async (fixture) => ({ params: { id: await addedEvidence(fixture) } }),
  getEvidenceContent: async (fixture) => ({ params: { id: await addedEvidence(fixture) } }),
  removeEvidence: async (fixture) => ({
    params: { id: await addedEvidence(fixture) },
    body: { reason: uniqueName("Wrong file") },
  }),
  addLines: async (fixture) => ({
    params: { id: await created(fixture, sources) },
    body: { lines: [LINE] },
  }),
  listLines: async (fixture) => ({
    query: { reconciliation_id: (await period(fixture)).id, side: "left", currency: "EUR" },
  }),
  listLineHistory: async (fixture) => ({ params: { id: await addedLine(fixture) } }),
  getLine: async (fixture) => ({ params: { id: await addedLine(fixture) } }),
  createImport: async (fixture) => ({
    params: { id: await created(fixture, sources) },
    upload: { type: "application/x-ndjson", text: `${JSON.stringify(LINE)}\n` },
  }),
  getImport: async (fixture) => ({ params: { id: await startedImport(fixture) } }),
  undoImport: async (fixture) => ({ params: { id: await startedImport(fixture) } }),

  createApiKey: () => ({ body: apiKeys.body() }),
  getApiKey: async (fixture) => ({ params: { keyId: await created(fixture, apiKeys) } }),
  updateApiKey: async (fixture) => ({
    params: { keyId: await created(fixture, apiKeys) },
    body: { name: uniqueName("Renamed") },
  }),
  revokeApiKey: async (fixture) => ({
    params: { keyId: await created(fixture, apiKeys) },
    body: { reason: uniqueName("Lost") },
  }),
  rotateApiKey: async (fixture) => ({
    params: { keyId: await created(fixture, apiKeys) },
    body: { grace_period_seconds: 60 },
  }),
  getApiKeyUsage: async (fixture) => ({ params: { keyId: await created(fixture, apiKeys) } }),
  ...Object.assign({}, ...SURFACES.map(recordSamples)),

  putNotificationSettings: async () => ({
    body: {
      exception_breached: "all",
      exception_at_risk: "off",
      assigned: true,
      mentioned: true,
      webhook_failing: true,
      api_key_expiring: false,
      connection_failing: true,
    },
  }),
  createAlertChannel: () => ({ body: alertChannels.body() }),
  getAlertChannel: async (fixture) => ({ params: { id: await created(fixture, alertChannels) } }),
  updateAlertChannel: async (fixture) => ({
    params: { id: await created(fixture, alertChannels) },
    body: { name: uniqueName("Renamed") },
  }),
  deleteAlertChannel: async (fixture) => ({
    params: { id: await created(fixture, alertChannels) },
  }),
  testAlertChannel: async (fixture) => ({ params: { id: await created(fixture, alertChannels) } }),
  getTenantMember: async (fixture) => ({ params: { memberId: await memberOf(fixture) } }),
  updateTenantMember: async (fixture) => ({
    params: { memberId: await memberOf(fixture) },
    body: { roles: ["tenant_lead"] },
  }),
  removeTenantMember: async (fixture) => ({
    params: { memberId: await memberOf(fixture) },
    body: { reason: uniqueName("Left") },
  }),
  createInvitation: () => ({ body: invitations.body() }),
  getInvitation: async (fixture) => ({ params: { invitationId: await sent(fixture) } }),
  resendInvitation: async (fixture) => ({ params: { invitationId: await sentLongAgo(fixture) } }),
  revokeInvitation: async (fixture) => ({
    params: { invitationId: await created(fixture, invitations) },
  }),

  createWebhook: () => ({ body: webhooks.body() }),
  getWebhook: async (fixture) => ({ params: { id: await created(fixture, webhooks) } }),
  updateWebhook: async (fixture) => ({
    params: { id: await created(fixture, webhooks) },
    body: { description: uniqueName("Renamed") },
  }),
  createView: () => ({ body: views.body() }),
  getView: async (fixture) => ({ params: { id: await viewOfEve(fixture) } }),
  updateView: async (fixture) => ({
    params: { id: await viewOfEve(fixture) },
    body: { name: uniqueName("Renamed") },
  }),
  deleteView: async (fixture) => ({ params: { id: await viewOfEve(fixture) } }),
  deleteWebhook: async (fixture) => ({ params: { id: await created(fixture, webhooks) } }),
  rotateWebhookSecret: async (fixture) => ({
    params: { id: await created(fixture, webhooks) },
    body: { secret: uniqueName("another secret") },
  }),
  testWebhook: async (fixture) => ({ params: { id: await created(fixture, webhooks) } }),
  enableWebhook: async (fixture) => ({ params: { id: await created(fixture, webhooks) } }),
  recoverWebhook: async (fixture) => ({
    params: { id: await created(fixture, webhooks) },
    body: { since: "2026-11-01T00:00:00.000Z" },
  }),
  getWebhookStats: async (fixture) => ({ params: { id: await created(fixture, webhooks) } }),
  listWebhookDeliveries: async (fixture) => ({ params: { id: await created(fixture, webhooks) } }),
  getWebhookDelivery: async (fixture) => ({ params: await triedDelivery(fixture) }),
  resendWebhookDelivery: async (fixture) => ({ params: await triedDelivery(fixture) }),

  getSecurityEvent: async (fixture) => ({ params: { id: await recordedEvent(fixture) } }),
  getRequest: async (fixture) => ({ params: { id: await loggedRequest(fixture) } }),

  estimateApiKeyImpact: async (fixture) => ({
    params: { keyId: await created(fixture, apiKeys) },
    body: { revoke: true },
  }),
};

function recordSamples(surface: Surface): typeof SAMPLES {
  const { path, example, columns } = surface;
  const contracts = RECORD_CONTRACTS.get(path);
  if (!contracts) throw new Error(`${path} has no contracts.`);
  const heading = columns[0];
  const records = {
    path: () => `/v1/${path}`,
    body: () => ({ ...example, [heading]: uniqueName("Record") }),
  };
  const existing = async (fixture: Fixture) => ({
    params: { id: await created(fixture, records) },
  });
  return {
    [contracts.create.operationId]: () => ({ body: records.body() }),
    [contracts.get.operationId]: existing,
    [contracts.update.operationId]: async (fixture) => ({
      ...(await existing(fixture)),
      body: { [heading]: uniqueName("Renamed") },
    }),
    [contracts.remove.operationId]: existing,
    [contracts.restore.operationId]: existing,
  };
}

/** @throws Error where an operation needs a sample and has none. */
export async function sampleFor(
  { operationId, params, body, upload, tenantParam }: Contract,
  fixture: Fixture,
): Promise<Sample> {
  const tenantParams: Record<string, string> =
    tenantParam === null ? {} : { [tenantParam]: fixture.tenant };
  const make = SAMPLES[operationId];
  const needsBody = upload !== null || (body !== null && !body.safeParse({}).success);
  const selfEvident = !needsBody && Object.keys(params.shape).every((name) => name in tenantParams);
  if (!make && !selfEvident)
    throw new Error(
      `${operationId} has no sample of a valid call: add one to ${import.meta.filename}.`,
    );
  const sample = (await make?.(fixture)) ?? {};
  return { ...sample, params: { ...tenantParams, ...sample.params } };
}

async function addedLine(fixture: Fixture): Promise<string> {
  const path = `/v1/sources/${await created(fixture, sources)}/lines`;
  const { json } = await api("POST", path, {
    bearer: fixture.admin,
    tenant: fixture.tenant,
    body: { lines: [LINE] },
  });
  return (json as { items: { id: string }[] }).items[0]?.id ?? "";
}

async function addedEvidence(fixture: Fixture): Promise<string> {
  const { json } = await api("POST", "/v1/evidence", {
    bearer: fixture.admin,
    tenant: fixture.tenant,
    query: { subject_id: await created(fixture, reconciliations), file_name: "note.txt" },
    body: EVIDENCE.text,
    headers: { "Content-Type": EVIDENCE.type },
  });
  return (json as { id: string }).id;
}

async function startedImport(fixture: Fixture): Promise<string> {
  const path = `/v1/sources/${await created(fixture, sources)}/imports`;
  const { json } = await api("POST", path, {
    bearer: fixture.admin,
    tenant: fixture.tenant,
    body: { lines: [LINE] },
  });
  const { id } = json as { id: string };
  await ended(fixture, `/v1/imports/${id}`);
  return id;
}

/** Until then its response changes without a call. */
const ended = (fixture: Fixture, path: string) =>
  until(`${path} to end`, async () => {
    const { json } = await api("GET", path, { bearer: fixture.admin, tenant: fixture.tenant });
    return ["done", "failed"].includes((json as { status: string }).status);
  });

type Resource = { path: (fixture: Fixture) => string; body: () => object };

async function created(fixture: Fixture, resource: Resource): Promise<string> {
  const path = resource.path(fixture);
  const { status, text, json } = await api("POST", path, {
    bearer: fixture.admin,
    tenant: fixture.tenant,
    body: resource.body(),
    headers: { "Idempotency-Key": uniqueName("key") },
  });
  if (status !== 201) throw new Error(`POST ${path} answered ${status}: ${text}`);
  return (json as { id: string }).id;
}

/** The caller in each role is eve, and only its maker may change a view. */
async function viewOfEve({ tenant }: Fixture): Promise<string> {
  const { status, text, json } = await api("POST", views.path(), {
    bearer: await userToken(tenant, ["tenant_lead"], "eve"),
    tenant,
    body: views.body(),
  });
  if (status !== 201) throw new Error(`POST ${views.path()} answered ${status}: ${text}`);
  return (json as { id: string }).id;
}

async function posted<Body = { id: string }>(
  fixture: Fixture,
  path: string,
  body: object = {},
): Promise<Body> {
  const { status, text, json } = await api("POST", path, {
    bearer: fixture.admin,
    tenant: fixture.tenant,
    body,
  });
  if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${text}`);
  return json as Body;
}

/** A period of two sources, each with a line of the same amount. */
async function period(
  fixture: Fixture,
): Promise<{ id: string; lines: [left: string, right: string]; sources: string[] }> {
  const side = async (name: string) => {
    const source = await posted(fixture, "/v1/sources", { name, kind: "ledger", currency: "EUR" });
    const lines = [{ external_id: name, amount_minor: 12_500, value_date: "2026-10-05" }];
    const { items } = await posted<{ items: { id: string }[] }>(
      fixture,
      `/v1/sources/${source.id}/lines`,
      { lines },
    );
    return { source: source.id, line: items[0]?.id ?? "" };
  };
  const [left, right] = [await side(uniqueName("Bank")), await side(uniqueName("Ledger"))];
  const { id } = await posted(fixture, "/v1/reconciliations", {
    name: uniqueName("October"),
    period_start: "2026-10-01",
    period_end: "2026-10-31",
    left_source_id: left.source,
    right_source_id: right.source,
    auto_run: false,
  });
  return { id, lines: [left.line, right.line], sources: [left.source, right.source] };
}

/** Left by a close. */
async function entryBatch(fixture: Fixture, ledger: object = {}): Promise<string> {
  const { id } = await period(fixture);
  const rules = `/v1/reconciliations/${id}/entry-rules`;
  await api("PUT", rules, {
    bearer: fixture.admin,
    tenant: fixture.tenant,
    body: { rules: ENTRY_RULES, ledger },
  });
  await posted(fixture, `/v1/reconciliations/${id}/close`);
  const { json } = await api("GET", "/v1/entry-batches", {
    bearer: fixture.admin,
    tenant: fixture.tenant,
    query: { reconciliation_id: id },
  });
  return (json as { items: { id: string }[] }).items[0]?.id ?? "";
}

/** A period that another person has signed, so that the admin of the fixture can review it. */
async function preparedPeriod(fixture: Fixture): Promise<string> {
  const { id } = await period(fixture);
  const preparer = await userToken(fixture.tenant, ["tenant_analyst"], "leo");
  await posted({ ...fixture, admin: preparer }, `/v1/reconciliations/${id}/prepare`);
  return id;
}

/** An analyst's own, who may take no other back. */
async function decisionOf(fixture: Fixture): Promise<string> {
  const analyst = await userToken(fixture.tenant, ["tenant_analyst"], "eve");
  const path = `/v1/matches/${await suggestedMatch(fixture)}/confirm`;
  const { reconciliation_id } = await posted<{ reconciliation_id: string }>(
    { ...fixture, admin: analyst },
    path,
  );
  const { json } = await api("GET", `/v1/reconciliations/${reconciliation_id}/decisions`, {
    bearer: fixture.admin,
    tenant: fixture.tenant,
  });
  return (json as { items: { id: string }[] }).items[0]?.id as string;
}

async function matchByHand(fixture: Fixture): Promise<string> {
  const { id, lines } = await period(fixture);
  return (await posted(fixture, `/v1/reconciliations/${id}/matches`, { line_ids: lines })).id;
}

/** As a run makes them. */
async function suggestedMatch(fixture: Fixture): Promise<string> {
  const { id, lines } = await period(fixture);
  const [made] = await sql<{ id: string }>(
    `with made as (
       insert into matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method, score,
         currency, amount_minor, created_by)
       select r.tenant_id, private.new_uuid(), r.pair_no, r.id, 'suggested', '1:1', 'Same amount',
         0.9, 'EUR', 12500, 'system'
       from reconciliations r where r.tenant_id = $1 and r.id = $2 returning *
     ), members as (
       insert into match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
       select m.tenant_id, m.id, m.pair_no, l.line_no,
         case private.line_id_text(l.id) when $3 then 'left' else 'right' end, 12500
       from made m join lines l on l.tenant_id = m.tenant_id
         and private.line_id_text(l.id) in ($3, $4)
     )
     select private.match_id_text(id) as id from made`,
    [fixture.tenant, id, ...lines],
  );
  return made?.id ?? "";
}

async function startedRun(fixture: Fixture): Promise<string> {
  const { id } = await posted(fixture, `/v1/reconciliations/${(await period(fixture)).id}/runs`);
  await ended(fixture, `/v1/runs/${id}`);
  return id;
}

async function excludedLine(fixture: Fixture): Promise<string> {
  const [line] = (await period(fixture)).lines;
  await posted(fixture, `/v1/lines/${line}/exclude`, { reason: "Not ours" });
  return line;
}

/** The ID of a created key. */
async function recordedEvent(fixture: Fixture): Promise<string> {
  const target = await created(fixture, apiKeys);
  const { json } = await api("GET", "/v1/security-events", {
    bearer: fixture.admin,
    tenant: fixture.tenant,
    query: { target },
  });
  return (json as { items: { id: string }[] }).items[0]?.id ?? "";
}

/** The ID of a test event, after its first attempt. */
async function triedDelivery(fixture: Fixture): Promise<Record<string, string>> {
  const id = await created(fixture, webhooks);
  const deliveryId = await created(fixture, {
    path: () => `/v1/webhooks/${id}/test`,
    body: () => ({}),
  });
  await until("the test event was tried", async () => {
    const tried = await sql(
      "select from webhook_deliveries where id = $1 and attempt_count > 0 and lease is null",
      [deliveryId],
    );
    return tried.length > 0;
  });
  return { id, deliveryId };
}

/** The ID of a call, once it is in the log. */
async function loggedRequest({ admin, tenant }: Fixture): Promise<string> {
  const { headers } = await api("GET", "/v1/me", { bearer: admin, tenant });
  const id = headers.get("x-request-id") ?? "";
  await until(
    "the call is logged",
    async () =>
      (await sql("select from request_log where tenant_id = $1 and id = $2", [tenant, id])).length >
      0,
  );
  return id;
}

async function memberOf({ tenant }: Fixture): Promise<string> {
  return (await enrol({ [tenant]: ["tenant_analyst"] })).id;
}

/** Its mail is sent, so that nothing changes it automatically. */
async function sent(fixture: Fixture): Promise<string> {
  const id = await created(fixture, invitations);
  await until(
    "its mail is sent",
    async () =>
      (await sql("select from invitations where id = $1 and sent_at is not null", [id])).length > 0,
  );
  return id;
}

/** Long enough for its mail to be sent again. */
async function sentLongAgo(fixture: Fixture): Promise<string> {
  const id = await created(fixture, invitations);
  await sql(
    "update public.invitations set requested_at = now() - interval '2 minutes' where id = $1",
    [id],
  );
  return id;
}
