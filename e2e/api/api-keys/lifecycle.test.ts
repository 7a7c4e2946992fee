import { describe, expect, it } from "vitest";
import { api, sql, uniqueName } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { startWebProcess } from "#e2e/web-process.ts";
import type { ApiKey, ApiKeyImpact, ApiKeyUsage, NewApiKey } from "#lib/api-keys/contract.ts";
import { codeOf, credentialOf, tenantWithAdmin } from "./keys.ts";

describe("rotating an API key", () => {
  it("keeps the old key for the grace period and no longer, by the database's clock alone", async () => {
    const { create, call, use, get } = await tenantWithAdmin();
    const old = await create({ description: "Batch", ip_allowlist: ["127.0.0.0/8", "::1"] });
    const answer = await call("POST", `/${old.id}/rotate`, { grace_period_seconds: 2 });
    expect(answer.status).toBe(201);
    const successor = answer.json as NewApiKey;
    expect(successor).toMatchObject({ name: old.name, scopes: old.scopes, ip_allowlist: old.ip_allowlist });
    expect(successor.key_secret).not.toBe(old.key_secret);
    expect((await use(old.credential)).status).toBe(200);
    expect((await use(credentialOf(successor))).status).toBe(200);
    expect(await get(old.id)).toMatchObject({ status: "rotating", rotated_to: successor.id, grace_expires_at: expect.any(String) });
    expect(await get(successor.id)).toMatchObject({ status: "active", rotated_from: old.id, description: "Batch" });

    const refused = await until("the grace period is over", async () => {
      const used = await use(old.credential);
      return used.status === 401 && used;
    });
    const { elapsed } =
      (
        await sql<{ elapsed: boolean }>("select grace_expires_at <= clock_timestamp() as elapsed from public.api_keys where id = $1", [
          old.id,
        ])
      )[0] ?? {};
    expect(elapsed).toBe(true);
    expect(refused.text).toContain("revoked");
    expect(await get(old.id)).toMatchObject({ status: "revoked", revoked_by: "system" });
    expect(
      (await sql<{ revoked_at: unknown }>("select revoked_at from public.api_keys where id = $1", [old.id]))[0]?.revoked_at,
    ).toBeNull();
    expect((await use(credentialOf(successor))).status).toBe(200);
  });

  it("ends the old key at once with a grace period of 0", async () => {
    const { create, call, use } = await tenantWithAdmin();
    const old = await create();
    expect((await use(old.credential)).status).toBe(200);
    await call("POST", `/${old.id}/rotate`, { grace_period_seconds: 0 });
    expect((await use(old.credential)).status).toBe(401);
  });

  it("gives the successor the same length of life, and never lets the old key outlive its own expiry", async () => {
    const { create, call, use, get } = await tenantWithAdmin();
    const old = await create({ expires_at: new Date(Date.now() + 86_400_000).toISOString() });
    const successor = (await call("POST", `/${old.id}/rotate`, { grace_period_seconds: 604_800 })).json as NewApiKey;
    const life = (key: { expires_at: string | null; created_at: string }) => Date.parse(key.expires_at ?? "") - Date.parse(key.created_at);
    expect(Math.abs(life(successor) - life(old))).toBeLessThan(5);
    await sql("update public.api_keys set expires_at = now() where id = $1", [old.id]);
    await until("the old key has expired", async () => (await use(old.credential)).status === 401);
    expect((await get(old.id)).status).toBe("expired");
  });

  it("lets one of two rotations at once succeed", async () => {
    const { create, call, tenant } = await tenantWithAdmin();
    const { id } = await create();
    const answers = await Promise.all([call("POST", `/${id}/rotate`, {}), call("POST", `/${id}/rotate`, {})]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await sql("select from public.api_keys where tenant_id = $1", [tenant])).toHaveLength(2);
  });

  it("replays the successor's secret under the same idempotency key", async () => {
    const { create, call } = await tenantWithAdmin();
    const { id } = await create();
    const body = { grace_period_seconds: 60, idempotency_key: uniqueName("rotate") };
    const [first, second] = [await call("POST", `/${id}/rotate`, body), await call("POST", `/${id}/rotate`, body)];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(second.json).toEqual(first.json);
  });

  it("refuses a revoked, an expired and an already rotated key with 409", async () => {
    const { create, call } = await tenantWithAdmin();
    const [revoked, expired, rotated] = [await create(), await create(), await create()];
    await call("DELETE", `/${revoked.id}`);
    await sql("update public.api_keys set expires_at = now() where id = $1", [expired.id]);
    await call("POST", `/${rotated.id}/rotate`, {});
    for (const { id } of [revoked, expired, rotated]) {
      const answer = await call("POST", `/${id}/rotate`, {});
      expect([answer.status, codeOf(answer)]).toEqual([409, "conflict"]);
    }
  });

  it.each([-1, 604_801, 1.5, "60"])("refuses a grace period of %s", async (grace_period_seconds) => {
    const { create, call } = await tenantWithAdmin();
    const { id } = await create();
    expect((await call("POST", `/${id}/rotate`, { grace_period_seconds })).status).toBe(400);
  });
});

describe("revoking an API key", () => {
  it("refuses the next call here at once, and every call elsewhere within a second", async () => {
    const { create, call, use, tenant } = await tenantWithAdmin();
    const { id, credential } = await create();
    const other = await startWebProcess();
    const useOther = async () =>
      (await fetch(`${other.url}/v1/exceptions`, { headers: { Authorization: `Bearer ${credential}`, "X-Tenant-Id": tenant } })).status;
    try {
      expect([(await use(credential)).status, await useOther()]).toEqual([200, 200]);
      const answer = await call("DELETE", `/${id}`, { reason: "Leaked in a build log" });
      const revokedAt = performance.now();
      expect(answer.json).toMatchObject({ status: "revoked", revoked_by: "user:ada", revoke_reason: "Leaked in a build log" });
      expect((await use(credential)).status).toBe(401);
      await until("the other process refuses", async () => (await useOther()) === 401);
      expect(performance.now() - revokedAt).toBeLessThan(1000);
    } finally {
      await other.stop();
    }
  });

  it("takes no body, and returns a revoked key unchanged", async () => {
    const { create, call } = await tenantWithAdmin();
    const { id } = await create();
    const first = (await call("DELETE", `/${id}`)).json as ApiKey;
    const second = (await call("DELETE", `/${id}`, { reason: "Again" })).json as ApiKey;
    expect(second).toEqual(first);
  });

  it("is a security event with its reason, and an event for receivers", async () => {
    const { create, call, tenant } = await tenantWithAdmin();
    const { id } = await create();
    const answer = await call("DELETE", `/${id}`, { reason: "Retired" });
    const [event] = await sql<{ actor: string; reason: string; target: string; request_id: string; address: string }>(
      "select actor, reason, target, request_id, host(address) as address from public.security_events where tenant_id = $1 and type = 'api_key.revoked'",
      [tenant],
    );
    expect(event).toEqual({
      actor: "user:ada",
      reason: "Retired",
      target: id,
      request_id: answer.headers.get("x-request-id"),
      address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
    });
    expect(
      await sql("select from public.events where tenant_id = $1 and type = 'api_key.revoked' and data ->> 'id' = $2", [tenant, id]),
    ).toHaveLength(1);
  });
});

describe("changing an API key", () => {
  it("takes effect on the next call, and is a security event with before and after", async () => {
    const { create, call, use, tenant } = await tenantWithAdmin();
    const { id, credential } = await create();
    expect((await use(credential)).status).toBe(200);
    const answer = await call("PATCH", `/${id}`, { scopes: ["write:exceptions"], ip_allowlist: ["203.0.113.7"], expires_at: null });
    expect(answer.json).toMatchObject({ scopes: ["write:exceptions"], ip_allowlist: ["203.0.113.7/32"] });
    expect((await use(credential)).status).toBe(403);
    const [event] = await sql<{ details: object }>(
      "select details from public.security_events where tenant_id = $1 and type = 'api_key.updated'",
      [tenant],
    );
    expect(event?.details).toMatchObject({ scopes: { from: ["read:exceptions"], to: ["write:exceptions"] } });
  });

  it("refuses a revoked key with 409", async () => {
    const { create, call } = await tenantWithAdmin();
    const { id } = await create();
    await call("DELETE", `/${id}`);
    expect((await call("PATCH", `/${id}`, { name: "New" })).status).toBe(409);
  });

  it("refuses the fields of the server, in the body and in the database", async () => {
    const { create, call } = await tenantWithAdmin();
    const { id } = await create();
    for (const field of ["id", "tenant_id", "key_id", "created_by", "created_at", "revoked_at", "request_count"]) {
      expect((await call("PATCH", `/${id}`, { [field]: "x" })).status).toBe(400);
    }
    const granted = await sql<{ column_name: string }>(
      "select column_name from information_schema.column_privileges where table_name = 'api_keys' and grantee = 'authenticated' and privilege_type = 'UPDATE'",
    );
    for (const { column_name } of granted) expect(["id", "tenant_id", "key_id", "created_by", "created_at"]).not.toContain(column_name);
  });
});

describe("what an API key does", () => {
  it("is counted exactly, refusals by their reason", async () => {
    const { create, call, use, get, tenant } = await tenantWithAdmin();
    const { id, credential } = await create();
    await Promise.all(Array.from({ length: 137 }, () => use(credential)));
    await Promise.all(Array.from({ length: 5 }, () => api("GET", "/v1/reconciliations", { bearer: credential, tenant })));
    const key = await until("the counts are written", async () => {
      const read = await get(id);
      return read.request_count >= 137 && read;
    });
    expect(key).toMatchObject({
      request_count: 137,
      last_used_at: expect.any(String),
      last_used_ip: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
    });
    const usage = await until("the refusals are written", async () => {
      const read = (await call("GET", `/${id}/usage`)).json as ApiKeyUsage;
      return read.refusals.scope_required && read;
    });
    expect(usage.refusals).toEqual({ scope_required: 5 });
    for (const buckets of [usage.hours, usage.days]) {
      expect(buckets.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(137);
      expect(buckets.reduce((sum, { refused }) => sum + refused, 0)).toBe(5);
    }
    expect(usage.addresses.reduce((sum, { calls }) => sum + calls, 0)).toBe(137);
  });

  it("shows who still calls with the old key while it lasts", async () => {
    const { create, call, use } = await tenantWithAdmin();
    const { id, credential } = await create();
    await use(credential);
    await call("POST", `/${id}/rotate`, { grace_period_seconds: 3600 });
    await use(credential);
    await use(credential);
    const usage = await until("the calls in grace are written", async () => {
      const read = (await call("GET", `/${id}/usage`)).json as ApiKeyUsage;
      return read.addresses.some(({ in_grace }) => in_grace === 2) && read;
    });
    expect(usage.addresses[0]).toMatchObject({ calls: 3, in_grace: 2, last_seen_at: expect.any(String) });
  });

  it("is not lost where the process is told to end", async () => {
    const { create, tenant, get } = await tenantWithAdmin();
    const { id, credential } = await create();
    const other = await startWebProcess();
    const headers = { Authorization: `Bearer ${credential}`, "X-Tenant-Id": tenant };
    await Promise.all(Array.from({ length: 50 }, () => fetch(`${other.url}/v1/exceptions`, { headers })));
    await other.stop();
    expect((await get(id)).request_count).toBe(50);
  });

  it("tells before a change how many calls of the week it would have refused", async () => {
    const { create, call, use, tenant, get } = await tenantWithAdmin();
    const { id, credential } = await create({ scopes: ["read:exceptions", "write:exceptions"] });
    await Promise.all(Array.from({ length: 4 }, () => use(credential)));
    await Promise.all(
      Array.from({ length: 3 }, (_, index) =>
        api("POST", "/v1/exceptions", { bearer: credential, tenant, body: { title: `T${index}`, severity: "low" } }),
      ),
    );
    await until("the calls are counted", async () => (await get(id)).request_count === 7);
    const impact = async (change: object) => (await call("POST", `/${id}/impact`, change)).json as ApiKeyImpact;
    expect(await impact({ revoke: true })).toMatchObject({ calls: 7, refused: 7 });
    expect(await impact({ scopes: ["read:exceptions"] })).toMatchObject({
      calls: 7,
      refused: 3,
      by_operation: [{ operation: "createException", refused: 3 }],
    });
    expect(await impact({ ip_allowlist: ["192.0.2.0/24"] })).toMatchObject({ refused: 7 });
    expect(await impact({ ip_allowlist: ["127.0.0.0/8", "::1"] })).toMatchObject({ refused: 0 });
    expect(await impact({ expires_at: "2026-01-01T00:00:00Z" })).toMatchObject({ refused: 7 });
    expect(await impact({})).toMatchObject({ refused: 0, by_operation: [], by_address: [] });
    expect((await use(credential)).status).toBe(200);
  });

  it("names scopes that were granted but not used for 30 days, for keys old enough to tell", async () => {
    const { create, use, get } = await tenantWithAdmin();
    const { id, credential } = await create({ scopes: ["read:exceptions", "write:webhooks"] });
    await use(credential);
    await until("the call is counted", async () => (await get(id)).request_count === 1);
    expect((await get(id)).unused_scopes).toEqual([]);
    await sql("update public.api_keys set created_at = now() - interval '31 days' where id = $1", [id]);
    expect((await get(id)).unused_scopes).toEqual(["write:webhooks"]);
  });

  it("is forgotten after its time: hours after 8 days, days after 91, and not before", async () => {
    const { create } = await tenantWithAdmin();
    const { id } = await create();
    await sql(
      `insert into public.api_key_usage_hourly (api_key_id, tenant_id, hour, operation, address, outcome, calls, last_seen_at)
       select id, tenant_id, date_trunc('hour', now()) - age, 'getMe', '127.0.0.1', 'accepted', 1, now() - age
       from public.api_keys, unnest('{7 days,9 days}'::interval[]) age where id = $1`,
      [id],
    );
    await sql(
      `insert into public.api_key_usage_daily (api_key_id, tenant_id, day, operation, outcome, calls)
       select id, tenant_id, (now() at time zone 'UTC')::date - age, 'getMe', 'accepted', 1 from public.api_keys, unnest('{90,92}'::int[]) age where id = $1`,
      [id],
    );
    await sql("select private.purge_api_key_usage()");
    const left = await sql<{ age: number }>(
      `select extract(day from now() - hour)::int as age from public.api_key_usage_hourly where api_key_id = $1
       union all select ((now() at time zone 'UTC')::date - day)::int from public.api_key_usage_daily where api_key_id = $1`,
      [id],
    );
    expect(left.map(({ age }) => age).sort()).toEqual([7, 90]);
  });

  it("is announced 14, 3 and 1 days before it ends, once each", async () => {
    const { create, tenant } = await tenantWithAdmin();
    const { id } = await create();
    const announcedAt = async (days: string) => {
      await sql("update public.api_keys set expires_at = now() + $2::interval where id = $1", [id, days]);
      await sql("select private.announce_expiring_api_keys()");
      await sql("select private.announce_expiring_api_keys()");
      const rows = await sql<{ days: number }>(
        "select (data ->> 'days_before')::int as days from public.events where tenant_id = $1 and type = 'api_key.expiring' order by id",
        [tenant],
      );
      return rows.map((row) => row.days);
    };
    expect(await announcedAt("20 days")).toEqual([]);
    expect(await announcedAt("13 days")).toEqual([14]);
    expect(await announcedAt("2 days 23 hours")).toEqual([14, 3]);
    expect(await announcedAt("23 hours")).toEqual([14, 3, 1]);
  });

  it("appears in no log line", async () => {
    const { create, use } = await tenantWithAdmin();
    const { tenant } = await tenantWithAdmin();
    const { credential, key_secret } = await create();
    const other = await startWebProcess();
    await fetch(`${other.url}/v1/exceptions?q=${key_secret}`, {
      headers: { Authorization: `Bearer ${credential}`, "X-Tenant-Id": tenant },
    });
    await use(credential);
    await other.stop();
    expect(other.output()).toContain("/v1/exceptions");
    expect(other.output()).not.toContain(key_secret);
  });
});
