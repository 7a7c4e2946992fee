import { beforeEach, describe, expect, it } from "vitest";
import { api, createTenant, sql, stack, uniqueName, userToken } from "#e2e/fixtures.ts";
import { sessionCookie } from "#e2e/sign-in.ts";
import { until } from "#e2e/until.ts";
import type { NewApiKey } from "#lib/api-keys/contract.ts";
import type { SecurityEvent } from "#lib/security-events/contract.ts";
import { codeOf, credentialOf } from "../api-keys/keys.ts";
import { type Trail, tenantWithTrail } from "./trail.ts";

const LOOPBACK = /^(127\.0\.0\.1|::1)$/;

let trail: Trail;

beforeEach(async () => {
  trail = await tenantWithTrail();
});

const call = (
  method: string,
  path: string,
  body?: object,
  bearer = trail.admin,
  headers: Record<string, string> = {},
) => api(method, path, { bearer, tenant: trail.tenant, body, headers });

async function newKey(body: object = {}): Promise<NewApiKey> {
  return (
    await call("POST", `/v1/tenants/${trail.tenant}/api-keys`, {
      name: "Nightly",
      scopes: ["read:exceptions"],
      ...body,
    })
  ).json as NewApiKey;
}

async function newWebhook(): Promise<string> {
  const body = {
    url: "http://127.0.0.1:9/",
    events: ["exception.created"],
    secret: uniqueName("secret of mine"),
  };
  return ((await call("POST", "/v1/webhooks", body)).json as { id: string }).id;
}

function requestIdOf(answer: { headers: Headers }): string {
  return answer.headers.get("x-request-id") ?? "";
}

/** The number of refusals in the audit log, including those counted until their minute ends. */
async function reportedOrCounted(): Promise<number> {
  const [row] = await sql<{ total: number }>(
    `select ((select coalesce(sum(coalesce((details ->> 'count')::integer, 1)), 0)
       from public.security_events
              where tenant_id = $1 and type = 'access.refused')
           + (select coalesce(sum(count - 1), 0) from private.security_event_counts
             where chain = $1))::integer as total`,
    [trail.tenant],
  );
  return row?.total ?? 0;
}

describe("an admin's actions are recorded with actor, address and request", () => {
  it("the life of an API key", async () => {
    const { id } = await newKey();
    const path = `/v1/tenants/${trail.tenant}/api-keys/${id}`;
    const updated = await call("PATCH", path, {
      name: "Weekly",
      scopes: ["read:exceptions", "write:exceptions"],
    });
    await call("POST", `${path}/rotate`, { grace_period_seconds: 60 });
    const revoked = await call("DELETE", path, { reason: "Laptop lost" });
    const { items } = await trail.list({ target: id });
    expect(items.map(({ type }) => type)).toEqual([
      "api_key.revoked",
      "api_key.rotated",
      "api_key.updated",
      "api_key.created",
    ]);
    for (const item of items)
      expect(item).toMatchObject({
        actor: "user:ada",
        credential: "user",
        cross_tenant: false,
        address: expect.stringMatching(LOOPBACK),
      });
    expect(items[0]).toMatchObject({
      request_id: requestIdOf(revoked),
      reason: "Laptop lost",
      operation: "revokeApiKey",
    });
    expect(items[2]).toMatchObject({
      request_id: requestIdOf(updated),
      details: {
        name: { from: "Nightly", to: "Weekly" },
        scopes: { from: ["read:exceptions"], to: ["read:exceptions", "write:exceptions"] },
      },
    });
  });

  it("webhooks and secrets are recorded without any secret", async () => {
    const id = await newWebhook();
    const secret = uniqueName("another secret");
    await call("POST", `/v1/webhooks/${id}/rotate-secret`, { secret });
    await call("PATCH", `/v1/webhooks/${id}`, {
      description: "For the ledger",
      status: "disabled",
      reason: "Moving",
    });
    await call("POST", `/v1/webhooks/${id}/enable`);
    await call("DELETE", `/v1/webhooks/${id}`);
    const { items } = await trail.list({ target: id });
    expect(items.map(({ type }) => type)).toEqual([
      "webhook.deleted",
      "webhook.enabled",
      "webhook.disabled",
      "webhook.updated",
      "webhook.secret_rotated",
      "webhook.created",
    ]);
    expect(items[3]?.details).toEqual({
      description: { from: null, to: "For the ledger" },
      target_name: "http://127.0.0.1:9/",
    });
    expect(JSON.stringify(items)).not.toContain("secret of mine");
    expect(JSON.stringify(items)).not.toContain(secret);
  });

  it("bulk changes, imports, dry runs and changes of the SLA policy", async () => {
    const created = await call("POST", "/v1/exceptions", { title: "Payout", severity: "high" });
    await call("POST", "/v1/exceptions/bulk", {
      ids: [(created.json as { id: string }).id],
      patch: { severity: "low" },
    });
    await api("POST", "/v1/exceptions/import", {
      bearer: trail.admin,
      tenant: trail.tenant,
      body: '{"title":"Imported","severity":"high"}\n{"title":""}\n',
      headers: { "Content-Type": "application/x-ndjson" },
    });
    const policy = {
      minutes_to_resolve: { critical: 60, high: 120, medium: 240, low: 480 },
      at_risk_thresholds: [240, 60],
    };
    await call("PUT", "/v1/sla-policy", { ...policy, dry_run: true });
    await call("PUT", "/v1/sla-policy", policy);
    const { id } = await newKey();
    await call("POST", `/v1/tenants/${trail.tenant}/api-keys/${id}/impact`, { revoke: true });
    const { items } = await trail.list();
    expect(items.map(({ type, operation }) => `${type} ${operation}`)).toEqual([
      "dry_run.done estimateApiKeyImpact",
      "api_key.created createApiKey",
      "sla_policy.updated putSlaPolicy",
      "dry_run.done putSlaPolicy",
      "exceptions.imported importExceptions",
      "exceptions.bulk_updated updateExceptions",
    ]);
    expect(items[0]).toMatchObject({ target: id, details: { change: { revoke: true } } });
    expect(items[2]?.details).toMatchObject({
      to: { minutes_to_resolve: policy.minutes_to_resolve },
    });
    expect(items[4]?.details).toEqual({ accepted: 1, refused: 0 });
  });

  it("a preview that our pages request when a dialog opens isn't recorded", async () => {
    const { id } = await newKey();
    const before = await trail.list();
    const cookie = await sessionCookie({ tenants: { [trail.tenant]: ["tenant_admin"] } });
    const { status } = await fetch(
      `${stack.url}/v1/tenants/${trail.tenant}/api-keys/${id}/impact`,
      {
        method: "POST",
        headers: {
          Cookie: cookie,
          "Content-Type": "application/json",
          "X-Tenant-Id": trail.tenant,
          "Sec-Fetch-Site": "same-origin",
        },
        body: JSON.stringify({ revoke: true }),
      },
    );
    expect(status).toBe(200);
    expect((await trail.list()).items.map((event) => event.id)).toEqual(
      before.items.map((event) => event.id),
    );
  });

  it("exports are recorded with their filters", async () => {
    const query = { since: "2026-01-01T00:00:00.000Z", until: "2026-02-01T00:00:00.000Z" };
    const path = "/v1/exceptions/sla/report";
    await api("GET", `${path}/export`, {
      bearer: trail.admin,
      tenant: trail.tenant,
      query: { ...query, format: "csv" },
    });
    await api("GET", path, {
      bearer: trail.admin,
      tenant: trail.tenant,
      query,
      headers: { Accept: "text/csv" },
    });
    expect(await trail.one("data.exported")).toMatchObject({
      operation: "exportSlaReport",
      details: { format: "csv", query },
    });
  });
});

describe("refusals are recorded for the tenants concerned", () => {
  it("an insufficient role or scope", async () => {
    const analyst = await call(
      "GET",
      "/v1/security-events",
      undefined,
      await userToken(trail.tenant, ["tenant_analyst"], "eve"),
    );
    expect(analyst.status).toBe(403);
    expect(await trail.one("access.refused")).toMatchObject({
      actor: "user:eve",
      credential: "user",
      operation: "listSecurityEvents",
      request_id: requestIdOf(analyst),
      address: expect.stringMatching(LOOPBACK),
      details: { code: "role_required" },
    });
    const key = await newKey();
    const scope = await call("GET", "/v1/reconciliations", undefined, credentialOf(key));
    expect(codeOf(scope)).toBe("scope_required");
    expect(await trail.one("access.refused", { actor: `api_key:${key.id}` })).toMatchObject({
      details: { code: "scope_required" },
      credential: "api_key",
    });
  });

  it("an address that is not allowed, and a key that was revoked", async () => {
    const key = await newKey({ ip_allowlist: ["192.0.2.0/24"] });
    const answer = await call("GET", "/v1/exceptions", undefined, credentialOf(key));
    expect(codeOf(answer)).toBe("ip_not_allowed");
    expect(await trail.one("access.refused")).toMatchObject({
      details: { code: "ip_not_allowed" },
      request_id: requestIdOf(answer),
    });
    await call("DELETE", `/v1/tenants/${trail.tenant}/api-keys/${key.id}`);
    await until(
      "the key is dead",
      async () =>
        (await call("GET", "/v1/exceptions", undefined, credentialOf(key))).status === 401,
    );
    await until("it is recorded", async () =>
      (await trail.list({ type: "access.refused" })).items.find(
        ({ details }) => details.key_is === "revoked",
      ),
    );
  });

  it("a key used on another tenant is recorded for both, and reveals nothing", async () => {
    const other = await tenantWithTrail();
    const key = await newKey();
    const attempt = (tenant: string) =>
      api("GET", "/v1/exceptions", { bearer: credentialOf(key), tenant });
    const [existing, missing] = [await attempt(other.tenant), await attempt("no-such-tenant")];
    expect([existing.status, missing.status]).toEqual([403, 403]);
    expect(await trail.one("access.refused")).toMatchObject({
      actor: `api_key:${key.id}`,
      cross_tenant: true,
      target: `tenant:${other.tenant}`,
      home_tenant_id: null,
      details: { code: "tenant_forbidden" },
    });
    expect(await other.one("access.refused")).toMatchObject({
      actor: `api_key:${key.id}`,
      cross_tenant: true,
      home_tenant_id: trail.tenant,
      request_id: requestIdOf(existing),
    });
    expect(
      await sql("select from private.security_event_heads where chain = 'no-such-tenant'"),
    ).toHaveLength(0);
  });

  it("a token without the tenant, in header, path and body", async () => {
    const other = await tenantWithTrail();
    const header = await api("GET", "/v1/me", { bearer: trail.admin, tenant: other.tenant });
    expect(header.status).toBe(403);
    expect(await trail.one("access.refused")).toMatchObject({
      actor: "user:ada",
      operation: "getMe",
      target: `tenant:${other.tenant}`,
    });
    expect(await other.one("access.refused")).toMatchObject({ home_tenant_id: trail.tenant });

    const path = await api("GET", `/v1/tenants/${other.tenant}/api-keys`, {
      bearer: await userToken(trail.tenant, ["tenant_admin"], "bob"),
      tenant: trail.tenant,
    });
    expect(path.status).toBe(403);
    expect(await trail.one("access.refused", { actor: "user:bob" })).toMatchObject({
      target: `tenant:${other.tenant}`,
      cross_tenant: true,
    });

    const body = await call(
      "POST",
      "/v1/integrations",
      { tenantId: other.tenant, idempotencyKey: "k" },
      await userToken(trail.tenant, ["tenant_lead"], "leo"),
    );
    expect(body.status).toBe(403);
    expect(await trail.one("access.refused", { actor: "user:leo" })).toMatchObject({
      operation: "createIntegration",
      cross_tenant: true,
    });
  });

  it("unverified credentials are recorded for no tenant", async () => {
    const answer = await call("GET", "/v1/me", undefined, "tk_nobody.tks_nothing");
    expect(answer.status).toBe(401);
    await until("it is recorded", async () => {
      const rows = await sql(
        `select from public.security_events where tenant_id is null and type = 'access.refused'
           and details ->> 'code' = 'unauthenticated'`,
      );
      return rows.length > 0;
    });
    expect((await trail.list()).items).toEqual([]);
  });

  it("repeated refusals are two events a minute: the first one, and the number of the others", async () => {
    const bearer = await userToken(trail.tenant, [], "eve");
    const startedMs = Date.now();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        call("GET", n % 2 ? "/v1/exceptions" : "/v1/webhooks", undefined, bearer),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]));
    await until("all are recorded or counted", async () => (await reportedOrCounted()) === 60);
    // One, unless a minute has ended since.
    const minutes = Math.floor(Date.now() / 60_000) - Math.floor(startedMs / 60_000) + 1;
    const firsts = (await trail.list({ type: "access.refused" })).items.filter(
      ({ details }) => details.count === undefined,
    );
    expect(firsts.length).toBeLessThanOrEqual(minutes);

    await sql(
      `update private.security_event_counts set minute = minute - interval '1 hour'
       where chain = $1`,
      [trail.tenant],
    );
    await sql("select private.report_security_event_counts()");
    const { items } = await trail.list({ type: "access.refused" });
    const reported = items.reduce((sum, { details }) => sum + Number(details.count ?? 1), 0);
    expect(reported).toBe(60);
    expect(items.length).toBeLessThanOrEqual(2 * minutes);
    // Each of these events lists only the operations of its minute.
    const counted = items.filter(({ details }) => details.count);
    expect(new Set(counted.map(({ details }) => details.code))).toEqual(new Set(["role_required"]));
    expect(counted.flatMap(({ details }) => details.operations)).toContain("listExceptions");
    expect((await trail.verify()).status).toBe("intact");
  });
});

it("one event is read by its id, and only in its own tenant", async () => {
  await newKey();
  const event = (await trail.list()).items[0] as SecurityEvent;
  expect((await trail.get(`/${event.id}`)).json).toEqual(event);
  const other = await createTenant();
  const foreign = await api("GET", `/v1/security-events/${event.id}`, {
    bearer: await userToken(other, ["tenant_admin"]),
    tenant: other,
  });
  expect(foreign.status).toBe(404);
});
