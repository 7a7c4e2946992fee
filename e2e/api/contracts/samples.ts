import { api, sql, uniqueName } from "#e2e/fixtures.ts";
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

const exceptions = {
  path: () => "/v1/exceptions",
  body: () => ({ title: uniqueName("Payout"), severity: "high", due_at: "2030-01-01T00:00:00.000Z", details: { line: 118 } }),
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
const apiKeys = {
  path: ({ tenant }: World) => `/v1/tenants/${tenant}/api-keys`,
  body: () => ({ name: uniqueName("Key"), scopes: ["read:exceptions"] }),
};

// A port where nothing listens: a test event fails at once.
const webhooks = {
  path: () => "/v1/webhooks",
  body: () => ({ url: "http://127.0.0.1:9/", events: ["exception.sla.breached"], secret: uniqueName("a secret of mine") }),
};

const PERIOD = { since: "2026-01-01T00:00:00.000Z", until: "2026-02-01T00:00:00.000Z" };

/** Operation → a valid call, each time of a new record. Operations that need neither a record nor a body need no entry. */
const SAMPLES: Record<string, (world: World) => Sample | Promise<Sample>> = {
  putFirstSteps: () => ({ body: { dismissed: true } }),
  createException: () => ({ body: exceptions.body() }),
  getException: async (world) => ({ params: { id: await created(world, exceptions) } }),
  updateException: async (world) => ({ params: { id: await created(world, exceptions) }, body: { title: uniqueName("Renamed") } }),
  updateExceptions: async (world) => ({ body: { ids: [await created(world, exceptions)], patch: { reason_code: uniqueName("r") } } }),
  importExceptions: () => ({ upload: { type: "application/x-ndjson", text: `${JSON.stringify(exceptions.body())}\n` } }),
  listExceptionHistory: async (world) => ({ params: { id: await created(world, exceptions) } }),
  getExceptionLedger: async (world) => ({ params: { id: await created(world, exceptions) } }),
  getSlaReport: () => ({ query: PERIOD }),
  exportSlaReport: () => ({ query: { ...PERIOD, format: "csv" } }),
  exportSlaExceptions: () => ({ query: { format: "ndjson" } }),
  exportSecurityEvents: () => ({ query: { format: "ndjson" } }),
  putSlaPolicy: () => ({
    body: { minutes_to_resolve: { critical: 60, high: 120, medium: 240, low: 480 }, at_risk_thresholds: [240, 60] },
  }),

  createReconciliation: () => ({ body: reconciliations.body() }),
  getReconciliation: async (world) => ({ params: { id: await created(world, reconciliations) } }),
  updateReconciliation: async (world) => ({ params: { id: await created(world, reconciliations) }, body: { name: uniqueName("Renamed") } }),

  createApiKey: () => ({ body: apiKeys.body() }),
  getApiKey: async (world) => ({ params: { keyId: await created(world, apiKeys) } }),
  updateApiKey: async (world) => ({ params: { keyId: await created(world, apiKeys) }, body: { name: uniqueName("Renamed") } }),
  revokeApiKey: async (world) => ({ params: { keyId: await created(world, apiKeys) }, body: { reason: uniqueName("Lost") } }),
  rotateApiKey: async (world) => ({ params: { keyId: await created(world, apiKeys) }, body: { grace_period_seconds: 60 } }),
  getApiKeyUsage: async (world) => ({ params: { keyId: await created(world, apiKeys) } }),
  ...Object.assign({}, ...SURFACES.map(recordSamples)),

  createWebhook: () => ({ body: webhooks.body() }),
  getWebhook: async (world) => ({ params: { id: await created(world, webhooks) } }),
  updateWebhook: async (world) => ({ params: { id: await created(world, webhooks) }, body: { description: uniqueName("Renamed") } }),
  deleteWebhook: async (world) => ({ params: { id: await created(world, webhooks) } }),
  rotateWebhookSecret: async (world) => ({
    params: { id: await created(world, webhooks) },
    body: { secret: uniqueName("another secret") },
  }),
  testWebhook: async (world) => ({ params: { id: await created(world, webhooks) } }),
  enableWebhook: async (world) => ({ params: { id: await created(world, webhooks) } }),
  recoverWebhook: async (world) => ({ params: { id: await created(world, webhooks) }, body: { since: "2026-11-01T00:00:00.000Z" } }),
  listWebhookDeliveries: async (world) => ({ params: { id: await created(world, webhooks) } }),
  getWebhookDelivery: async (world) => ({ params: await triedDelivery(world) }),
  resendWebhookDelivery: async (world) => ({ params: await triedDelivery(world) }),

  getSecurityEvent: async (world) => ({ params: { id: await recordedEvent(world) } }),

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
