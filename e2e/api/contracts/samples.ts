import { api, enrol, sql, uniqueName, userToken } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { RECORD_CONTRACTS } from "#lib/records/contract.ts";
import { SURFACES } from "#lib/records/surfaces/every-surface.ts";
import type { Surface } from "#lib/records/surfaces/surface.ts";
import type { Contract } from "#lib/wire/contract.ts";

/** A tenant and the token of its admin. */
export type World = { tenant: string; admin: string };

/** What a valid call of an operation is made of. The tenant in a path is filled in by itself. */
export type Sample = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  upload?: { type: string; text: string };
};

/** One for all, so that two samples differ in what makes them unique alone. */
const IN_A_YEAR = new Date(Date.now() + 365 * 86_400_000).toISOString();

const exceptions = {
  path: () => "/v1/exceptions",
  body: () => ({ title: uniqueName("Payout"), severity: "high", due_at: IN_A_YEAR, details: { line: 118 } }),
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
  body: () => ({ name: uniqueName("Office"), time_zone: "Europe/Berlin", weekly: [{ day: "monday", from: "09:00", to: "17:00" }] }),
};
const LINE = { amount: "12.50", value_date: "2026-10-05" };
const apiKeys = {
  path: ({ tenant }: World) => `/v1/tenants/${tenant}/api-keys`,
  body: () => ({ name: uniqueName("Key"), scopes: ["read:exceptions"] }),
};

const invitations = {
  path: ({ tenant }: World) => `/v1/tenants/${tenant}/invitations`,
  body: () => ({ email: `${uniqueName("nia")}@mail.example`, roles: ["tenant_analyst"] }),
};

const alertChannels = {
  path: () => "/v1/alert-channels",
  body: () => ({ name: uniqueName("Ops"), url: "http://127.0.0.1:9/services/T/B/XXXXXXXX", kinds: ["exception_breached"] }),
};

// A port where nothing listens: a test event fails at once.
const webhooks = {
  path: () => "/v1/webhooks",
  body: () => ({ url: "http://127.0.0.1:9/", events: ["webhook.failing"], secret: uniqueName("a secret of mine") }),
};

const PERIOD = { since: "2026-01-01T00:00:00.000Z", until: "2026-02-01T00:00:00.000Z" };

/** Operation → a valid call, each time of a new record. Operations that need neither a record nor a body need no entry. */
const SAMPLES: Record<string, (world: World) => Sample | Promise<Sample>> = {
  putFirstSteps: () => ({ body: { dismissed: true } }),
  createException: () => ({ body: exceptions.body() }),
  getException: async (world) => ({ params: { id: await created(world, exceptions) } }),
  updateException: async (world) => ({ params: { id: await created(world, exceptions) }, body: { title: uniqueName("Renamed") } }),
  pauseException: async (world) => ({ params: { id: await created(world, exceptions) }, body: { reason: uniqueName("Waiting") } }),
  resumeException: async (world) => {
    const id = await created(world, exceptions);
    await posted(world, `/v1/exceptions/${id}/pause`, { reason: "Waiting" });
    return { params: { id } };
  },
  updateExceptions: async (world) => ({ body: { ids: [await created(world, exceptions)], patch: { reason_code: uniqueName("r") } } }),
  importExceptions: () => ({ upload: { type: "application/x-ndjson", text: `${JSON.stringify(exceptions.body())}\n` } }),
  listExceptionHistory: async (world) => ({ params: { id: await created(world, exceptions) } }),
  listExceptionComments: async (world) => ({ params: { id: await created(world, exceptions) } }),
  createExceptionComment: async (world) => ({ params: { id: await created(world, exceptions) }, body: { body: uniqueName("Told") } }),
  getExceptionLedger: async (world) => ({ params: { id: await created(world, exceptions) } }),
  listSlaChanges: () => ({ query: { since: new Date().toISOString() } }),
  getSlaReport: () => ({ query: PERIOD }),
  exportSlaReport: () => ({ query: { ...PERIOD, format: "csv" } }),
  exportSlaExceptions: () => ({ query: { format: "ndjson" } }),
  exportExceptions: () => ({ query: { format: "csv" } }),
  exportSecurityEvents: () => ({ query: { format: "ndjson" } }),
  putSlaPolicy: () => ({
    body: { minutes_to_resolve: { critical: 60, high: 120, medium: 240, low: 480 }, at_risk_thresholds: [240, 60] },
  }),

  createCalendar: () => ({ body: calendars.body() }),
  getCalendar: async (world) => ({ params: { id: await created(world, calendars) } }),
  putCalendar: async (world) => ({ params: { id: await created(world, calendars) }, body: calendars.body() }),
  listCalendarVersions: async (world) => ({ params: { id: await created(world, calendars) } }),
  listOpenHours: async (world) => ({ params: { id: await created(world, calendars) }, query: PERIOD }),
  listHolidays: () => ({ query: { country: "DE", region: "BY", year: "2027" } }),
  readIcs: () => ({ body: { ics: "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n" } }),
  getCalendarIcs: async (world) => ({ params: { id: await created(world, calendars) } }),

  createReconciliation: () => ({ body: reconciliations.body() }),
  getReconciliation: async (world) => ({ params: { id: await created(world, reconciliations) } }),
  updateReconciliation: async (world) => ({ params: { id: await created(world, reconciliations) }, body: { name: uniqueName("Renamed") } }),

  getRules: async (world) => ({ params: { id: (await period(world)).id } }),
  putRules: async (world) => ({
    params: { id: (await period(world)).id },
    body: { rules: [{ name: uniqueName("Rule"), kind: "exact", on: ["reference"], then: "match" }] },
  }),
  createRun: async (world) => ({ params: { id: (await period(world)).id }, body: {} }),
  listRuns: async (world) => ({ params: { id: (await period(world)).id } }),
  getRun: async (world) => ({ params: { id: await startedRun(world) } }),
  listMatches: async (world) => ({ params: { id: (await period(world)).id } }),
  exportMatches: async (world) => ({ params: { id: (await period(world)).id }, query: { format: "csv" } }),
  createMatch: async (world) => {
    const { id, lines } = await period(world);
    return { params: { id }, body: { line_ids: lines } };
  },
  getMatch: async (world) => ({ params: { id: await matchByHand(world) } }),
  confirmMatch: async (world) => ({ params: { id: await suggestedMatch(world) } }),
  rejectMatch: async (world) => ({ params: { id: await suggestedMatch(world) } }),
  undoMatch: async (world) => ({ params: { id: await matchByHand(world) } }),
  decideMatches: async (world) => ({ body: { action: "confirm", ids: [await suggestedMatch(world)] } }),
  listSuggestionBands: async (world) => ({ params: { id: (await period(world)).id } }),
  sampleSuggestions: async (world) => ({ params: { id: (await period(world)).id }, query: { method: "Same amount" } }),
  listOpenLines: async (world) => ({ params: { id: (await period(world)).id } }),
  listDecisions: async (world) => ({ params: { id: (await period(world)).id } }),
  undoDecision: async (world) => ({ params: { id: await decisionOf(world) } }),
  listLineSuggestions: async (world) => ({ params: { id: (await period(world)).lines[0] } }),
  excludeLine: async (world) => ({ params: { id: (await period(world)).lines[0] }, body: { reason: uniqueName("Not ours") } }),
  includeLine: async (world) => ({ params: { id: await excludedLine(world) }, body: { reason: uniqueName("Ours") } }),
  getProof: async (world) => ({ params: { id: (await period(world)).id } }),
  getStatement: async (world) => ({ params: { id: (await period(world)).id } }),
  exportStatement: async (world) => ({ params: { id: (await period(world)).id }, query: { format: "csv" } }),
  closeReconciliation: async (world) => ({ params: { id: (await period(world)).id } }),
  reopenReconciliation: async (world) => {
    const { id } = await period(world);
    await posted(world, `/v1/reconciliations/${id}/close`);
    return { params: { id }, body: { reason: uniqueName("A page was missing") } };
  },
  createSource: () => ({ body: sources.body() }),
  getSource: async (world) => ({ params: { id: await created(world, sources) } }),
  updateSource: async (world) => ({ params: { id: await created(world, sources) }, body: { name: uniqueName("Renamed") } }),
  addLines: async (world) => ({ params: { id: await created(world, sources) }, body: { lines: [LINE] } }),
  listLines: async (world) => ({ query: { reconciliation_id: (await period(world)).id, side: "left", currency: "EUR" } }),
  listLineHistory: async (world) => ({ params: { id: await addedLine(world) } }),
  getLine: async (world) => ({ params: { id: await addedLine(world) } }),
  createImport: async (world) => ({
    params: { id: await created(world, sources) },
    upload: { type: "application/x-ndjson", text: `${JSON.stringify(LINE)}\n` },
  }),
  getImport: async (world) => ({ params: { id: await startedImport(world) } }),
  undoImport: async (world) => ({ params: { id: await startedImport(world) } }),

  createApiKey: () => ({ body: apiKeys.body() }),
  getApiKey: async (world) => ({ params: { keyId: await created(world, apiKeys) } }),
  updateApiKey: async (world) => ({ params: { keyId: await created(world, apiKeys) }, body: { name: uniqueName("Renamed") } }),
  revokeApiKey: async (world) => ({ params: { keyId: await created(world, apiKeys) }, body: { reason: uniqueName("Lost") } }),
  rotateApiKey: async (world) => ({ params: { keyId: await created(world, apiKeys) }, body: { grace_period_seconds: 60 } }),
  getApiKeyUsage: async (world) => ({ params: { keyId: await created(world, apiKeys) } }),
  ...Object.assign({}, ...SURFACES.map(recordSamples)),

  putNotificationSettings: async () => ({
    body: {
      exception_breached: "all",
      exception_at_risk: "off",
      assigned: true,
      mentioned: true,
      webhook_failing: true,
      api_key_expiring: false,
    },
  }),
  createAlertChannel: () => ({ body: alertChannels.body() }),
  getAlertChannel: async (world) => ({ params: { id: await created(world, alertChannels) } }),
  updateAlertChannel: async (world) => ({ params: { id: await created(world, alertChannels) }, body: { name: uniqueName("Renamed") } }),
  deleteAlertChannel: async (world) => ({ params: { id: await created(world, alertChannels) } }),
  testAlertChannel: async (world) => ({ params: { id: await created(world, alertChannels) } }),
  getTenantMember: async (world) => ({ params: { memberId: await memberOf(world) } }),
  updateTenantMember: async (world) => ({ params: { memberId: await memberOf(world) }, body: { roles: ["tenant_lead"] } }),
  removeTenantMember: async (world) => ({ params: { memberId: await memberOf(world) }, body: { reason: uniqueName("Left") } }),
  createInvitation: () => ({ body: invitations.body() }),
  getInvitation: async (world) => ({ params: { invitationId: await sent(world) } }),
  resendInvitation: async (world) => ({ params: { invitationId: await sentLongAgo(world) } }),
  revokeInvitation: async (world) => ({ params: { invitationId: await created(world, invitations) } }),

  createWebhook: () => ({ body: webhooks.body() }),
  getWebhook: async (world) => ({ params: { id: await created(world, webhooks) } }),
  updateWebhook: async (world) => ({ params: { id: await created(world, webhooks) }, body: { description: uniqueName("Renamed") } }),
  createView: () => ({ body: views.body() }),
  getView: async (world) => ({ params: { id: await viewOfEve(world) } }),
  updateView: async (world) => ({ params: { id: await viewOfEve(world) }, body: { name: uniqueName("Renamed") } }),
  deleteView: async (world) => ({ params: { id: await viewOfEve(world) } }),
  deleteWebhook: async (world) => ({ params: { id: await created(world, webhooks) } }),
  rotateWebhookSecret: async (world) => ({
    params: { id: await created(world, webhooks) },
    body: { secret: uniqueName("another secret") },
  }),
  testWebhook: async (world) => ({ params: { id: await created(world, webhooks) } }),
  enableWebhook: async (world) => ({ params: { id: await created(world, webhooks) } }),
  recoverWebhook: async (world) => ({ params: { id: await created(world, webhooks) }, body: { since: "2026-11-01T00:00:00.000Z" } }),
  getWebhookStats: async (world) => ({ params: { id: await created(world, webhooks) } }),
  listWebhookDeliveries: async (world) => ({ params: { id: await created(world, webhooks) } }),
  getWebhookDelivery: async (world) => ({ params: await triedDelivery(world) }),
  resendWebhookDelivery: async (world) => ({ params: await triedDelivery(world) }),

  getSecurityEvent: async (world) => ({ params: { id: await recordedEvent(world) } }),
  getRequest: async (world) => ({ params: { id: await loggedRequest(world) } }),

  estimateApiKeyImpact: async (world) => ({ params: { keyId: await created(world, apiKeys) }, body: { revoke: true } }),
};

function recordSamples(surface: Surface): typeof SAMPLES {
  const { path, example, columns } = surface;
  const contracts = RECORD_CONTRACTS.get(path);
  if (!contracts) throw new Error(`${path} has no contracts.`);
  const heading = columns[0];
  const records = { path: () => `/v1/${path}`, body: () => ({ ...example, [heading]: uniqueName("Record") }) };
  const existing = async (world: World) => ({ params: { id: await created(world, records) } });
  return {
    [contracts.create.operationId]: () => ({ body: records.body() }),
    [contracts.get.operationId]: existing,
    [contracts.update.operationId]: async (world) => ({ ...(await existing(world)), body: { [heading]: uniqueName("Renamed") } }),
    [contracts.remove.operationId]: existing,
    [contracts.restore.operationId]: existing,
  };
}

/** @throws Error where an operation needs a sample and has none. */
export async function sampleFor({ operationId, params, body, upload, tenantParam }: Contract, world: World): Promise<Sample> {
  const tenantParams: Record<string, string> = tenantParam === null ? {} : { [tenantParam]: world.tenant };
  const make = SAMPLES[operationId];
  const needsBody = upload !== null || (body !== null && !body.safeParse({}).success);
  const selfEvident = !needsBody && Object.keys(params.shape).every((name) => name in tenantParams);
  if (!make && !selfEvident) throw new Error(`${operationId} has no sample of a valid call: add one to ${import.meta.filename}.`);
  const sample = (await make?.(world)) ?? {};
  return { ...sample, params: { ...tenantParams, ...sample.params } };
}

async function addedLine(world: World): Promise<string> {
  const path = `/v1/sources/${await created(world, sources)}/lines`;
  const { json } = await api("POST", path, { bearer: world.admin, tenant: world.tenant, body: { lines: [LINE] } });
  return (json as { items: { id: string }[] }).items[0]?.id ?? "";
}

async function startedImport(world: World): Promise<string> {
  const path = `/v1/sources/${await created(world, sources)}/imports`;
  const { json } = await api("POST", path, { bearer: world.admin, tenant: world.tenant, body: { lines: [LINE] } });
  const { id } = json as { id: string };
  await ended(world, `/v1/imports/${id}`);
  return id;
}

/** Until then its answer changes by itself. */
const ended = (world: World, path: string) =>
  until(`${path} to end`, async () => {
    const { json } = await api("GET", path, { bearer: world.admin, tenant: world.tenant });
    return ["done", "failed"].includes((json as { status: string }).status);
  });

type Resource = { path: (world: World) => string; body: () => object };

async function created(world: World, resource: Resource): Promise<string> {
  const path = resource.path(world);
  const { status, text, json } = await api("POST", path, {
    bearer: world.admin,
    tenant: world.tenant,
    body: resource.body(),
    headers: { "Idempotency-Key": uniqueName("key") },
  });
  if (status !== 201) throw new Error(`POST ${path} answered ${status}: ${text}`);
  return (json as { id: string }).id;
}

/** Whoever calls in each of the roles is eve, and a view is its maker's to change. */
async function viewOfEve({ tenant }: World): Promise<string> {
  const { status, text, json } = await api("POST", views.path(), {
    bearer: await userToken(tenant, ["tenant_lead"], "eve"),
    tenant,
    body: views.body(),
  });
  if (status !== 201) throw new Error(`POST ${views.path()} answered ${status}: ${text}`);
  return (json as { id: string }).id;
}

async function posted<Body = { id: string }>(world: World, path: string, body: object = {}): Promise<Body> {
  const { status, text, json } = await api("POST", path, { bearer: world.admin, tenant: world.tenant, body });
  if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${text}`);
  return json as Body;
}

/** A period of two sources, each with a line of the same amount. */
async function period(world: World): Promise<{ id: string; lines: [left: string, right: string] }> {
  const side = async (name: string) => {
    const source = await posted(world, "/v1/sources", { name, kind: "ledger", currency: "EUR" });
    const lines = [{ external_id: name, amount_minor: 12_500, value_date: "2026-10-05" }];
    const { items } = await posted<{ items: { id: string }[] }>(world, `/v1/sources/${source.id}/lines`, { lines });
    return { source: source.id, line: items[0]?.id ?? "" };
  };
  const [left, right] = [await side(uniqueName("Bank")), await side(uniqueName("Ledger"))];
  const { id } = await posted(world, "/v1/reconciliations", {
    name: uniqueName("October"),
    period_start: "2026-10-01",
    period_end: "2026-10-31",
    left_source_id: left.source,
    right_source_id: right.source,
    auto_run: false,
  });
  return { id, lines: [left.line, right.line] };
}

/** An analyst's own, who may take no other back. */
async function decisionOf(world: World): Promise<string> {
  const analyst = await userToken(world.tenant, ["tenant_analyst"], "eve");
  const path = `/v1/matches/${await suggestedMatch(world)}/confirm`;
  const { reconciliation_id } = await posted<{ reconciliation_id: string }>({ ...world, admin: analyst }, path);
  const { json } = await api("GET", `/v1/reconciliations/${reconciliation_id}/decisions`, { bearer: world.admin, tenant: world.tenant });
  return (json as { items: { id: string }[] }).items[0]?.id as string;
}

async function matchByHand(world: World): Promise<string> {
  const { id, lines } = await period(world);
  return (await posted(world, `/v1/reconciliations/${id}/matches`, { line_ids: lines })).id;
}

/** As a run makes them. */
async function suggestedMatch(world: World): Promise<string> {
  const { id, lines } = await period(world);
  const [made] = await sql<{ id: string }>(
    `with made as (
       insert into matches (tenant_id, id, pair_no, reconciliation_id, state, shape, method, score, currency, amount_minor, created_by)
       select r.tenant_id, private.new_uuid(), r.pair_no, r.id, 'suggested', '1:1', 'Same amount', 0.9, 'EUR', 12500, 'system'
       from reconciliations r where r.tenant_id = $1 and r.id = $2 returning *
     ), members as (
       insert into match_members (tenant_id, match_id, pair_no, line_no, side, allocated_minor)
       select m.tenant_id, m.id, m.pair_no, l.line_no, case private.line_id_text(l.id) when $3 then 'left' else 'right' end, 12500
       from made m join lines l on l.tenant_id = m.tenant_id and private.line_id_text(l.id) in ($3, $4)
     )
     select private.match_id_text(id) as id from made`,
    [world.tenant, id, ...lines],
  );
  return made?.id ?? "";
}

async function startedRun(world: World): Promise<string> {
  const { id } = await posted(world, `/v1/reconciliations/${(await period(world)).id}/runs`);
  await ended(world, `/v1/runs/${id}`);
  return id;
}

async function excludedLine(world: World): Promise<string> {
  const [line] = (await period(world)).lines;
  await posted(world, `/v1/lines/${line}/exclude`, { reason: "Not ours" });
  return line;
}

/** Of a key that was created. */
async function recordedEvent(world: World): Promise<string> {
  const target = await created(world, apiKeys);
  const { json } = await api("GET", "/v1/security-events", { bearer: world.admin, tenant: world.tenant, query: { target } });
  return (json as { items: { id: string }[] }).items[0]?.id ?? "";
}

/** Of a test event, after its first attempt. */
async function triedDelivery(world: World): Promise<Record<string, string>> {
  const id = await created(world, webhooks);
  const deliveryId = await created(world, { path: () => `/v1/webhooks/${id}/test`, body: () => ({}) });
  await until("the test event was tried", async () => {
    const tried = await sql("select from webhook_deliveries where id = $1 and attempt_count > 0 and lease is null", [deliveryId]);
    return tried.length > 0;
  });
  return { id, deliveryId };
}

/** Of a call, once it is in the log. */
async function loggedRequest({ admin, tenant }: World): Promise<string> {
  const { headers } = await api("GET", "/v1/me", { bearer: admin, tenant });
  const id = headers.get("x-request-id") ?? "";
  await until(
    "the call is logged",
    async () => (await sql("select from request_log where tenant_id = $1 and id = $2", [tenant, id])).length > 0,
  );
  return id;
}

async function memberOf({ tenant }: World): Promise<string> {
  return (await enrol({ [tenant]: ["tenant_analyst"] })).id;
}

/** Its mail is handed over, so that it changes no more by itself. */
async function sent(world: World): Promise<string> {
  const id = await created(world, invitations);
  await until(
    "its mail is sent",
    async () => (await sql("select from invitations where id = $1 and sent_at is not null", [id])).length > 0,
  );
  return id;
}

/** Long enough for its mail to be sent again. */
async function sentLongAgo(world: World): Promise<string> {
  const id = await created(world, invitations);
  await sql("update public.invitations set requested_at = now() - interval '2 minutes' where id = $1", [id]);
  return id;
}
