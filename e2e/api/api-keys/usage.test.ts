import { describe, expect, it } from "vitest";
import { avoidMidnight } from "#e2e/avoid-midnight.ts";
import { api, sql } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { startWebProcess } from "#e2e/web-process.ts";
import type { ApiKeyImpact, ApiKeyUsage } from "#lib/api-keys/contract.ts";
import { tenantWithAdmin } from "./keys.ts";

describe("the usage of an API key", () => {
  it("is counted exactly, refusals by their reason", async () => {
    const { create, call, use, get, tenant } = await tenantWithAdmin();
    const { id, credential } = await create();
    await Promise.all(Array.from({ length: 137 }, () => use(credential)));
    await Promise.all(
      Array.from({ length: 5 }, () =>
        api("GET", "/v1/reconciliations", { bearer: credential, tenant }),
      ),
    );
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
      return read.refusals.scope_required === 5 && read;
    });
    expect(usage.refusals).toEqual({ scope_required: 5 });
    for (const buckets of [usage.hours, usage.days]) {
      expect(buckets.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(137);
      expect(buckets.reduce((sum, { refused }) => sum + refused, 0)).toBe(5);
    }
    expect(usage.addresses.reduce((sum, { calls }) => sum + calls, 0)).toBe(137);
  });

  it("shows who still calls with the old key during its grace period", async () => {
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
    expect(usage.addresses[0]).toMatchObject({
      calls: 3,
      in_grace: 2,
      last_seen_at: expect.any(String),
    });
  });

  it("is not lost when the process is stopped", async () => {
    const { create, tenant, get } = await tenantWithAdmin();
    const { id, credential } = await create();
    const other = await startWebProcess();
    const headers = { Authorization: `Bearer ${credential}`, "X-Tenant-Id": tenant };
    await Promise.all(
      Array.from({ length: 50 }, () => fetch(`${other.url}/v1/exceptions`, { headers })),
    );
    await other.stop();
    expect((await get(id)).request_count).toBe(50);
  });

  it("previews how many calls of the week a change would have refused", async () => {
    const { create, call, use, tenant, get } = await tenantWithAdmin();
    const { id, credential } = await create({ scopes: ["read:exceptions", "write:exceptions"] });
    await Promise.all(Array.from({ length: 4 }, () => use(credential)));
    await Promise.all(
      Array.from({ length: 3 }, (_, index) =>
        api("POST", "/v1/exceptions", {
          bearer: credential,
          tenant,
          body: { title: `T${index}`, severity: "low" },
        }),
      ),
    );
    await until("the calls are counted", async () => (await get(id)).request_count === 7);
    const impact = async (change: object) =>
      (await call("POST", `/${id}/impact`, change)).json as ApiKeyImpact;
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

  it("is the same over 7 days by list, hour, address and impact, at any time of the day", async () => {
    await avoidMidnight();
    const { create, call, get, use } = await tenantWithAdmin();
    const { id, credential } = await create();
    await use(credential);
    await until("the call is counted", async () => (await get(id)).request_count === 1);
    // One call in each hour of the previous eight days, counted as if it had come then.
    await sql(
      `with hours as (select k.tenant_id, k.id,
         date_trunc('hour', now(), 'UTC') - make_interval(hours => n) as hour
         from public.api_keys k, generate_series(1, 8 * 24) n where k.id = $1),
       days as (insert into public.api_key_usage_daily (api_key_id, tenant_id, day, operation,
         outcome, calls)
         select id, tenant_id, (hour at time zone 'UTC')::date, 'getMe', 'accepted', count(*)
         from hours group by 1, 2, 3)
       insert into public.api_key_usage_hourly (api_key_id, tenant_id, hour, operation, address,
         outcome, calls, last_seen_at)
       select id, tenant_id, hour, 'getMe', '127.0.0.1', 'accepted', 1, hour from hours`,
      [id],
    );
    const usage = (await call("GET", `/${id}/usage`)).json as ApiKeyUsage;
    const impact = (await call("POST", `/${id}/impact`, { revoke: true })).json as ApiKeyImpact;
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
    const week = sum((await get(id)).calls_by_day);
    expect(week).toBeGreaterThan(6 * 24);
    expect({
      hours: sum(usage.hours.map(({ accepted }) => accepted)),
      days: sum(
        usage.days.filter(({ start }) => start >= impact.since).map(({ accepted }) => accepted),
      ),
      addresses: sum(usage.addresses.map(({ calls }) => calls)),
      impact: impact.calls,
    }).toEqual({ hours: week, days: week, addresses: week, impact: week });
  });

  it("lists scopes unused for 30 days, if the key is old enough", async () => {
    const { create, use, get } = await tenantWithAdmin();
    const { id, credential } = await create({ scopes: ["read:exceptions", "write:webhooks"] });
    await use(credential);
    await until("the call is counted", async () => (await get(id)).request_count === 1);
    expect((await get(id)).unused_scopes).toEqual([]);
    await sql("update public.api_keys set created_at = now() - interval '31 days' where id = $1", [
      id,
    ]);
    expect((await get(id)).unused_scopes).toEqual(["write:webhooks"]);
  });

  it("is deleted on time: hourly counts after 8 days, daily ones after 91, and not before", async () => {
    await avoidMidnight();
    const { create } = await tenantWithAdmin();
    const { id } = await create();
    await sql(
      `insert into public.api_key_usage_hourly (api_key_id, tenant_id, hour, operation, address,
         outcome, calls, last_seen_at)
       select id, tenant_id, date_trunc('hour', now()) - age, 'getMe', '127.0.0.1', 'accepted', 1,
         now() - age
       from public.api_keys, unnest('{7 days,9 days}'::interval[]) age where id = $1`,
      [id],
    );
    await sql(
      `insert into public.api_key_usage_daily (api_key_id, tenant_id, day, operation, outcome,
         calls)
       select id, tenant_id, (now() at time zone 'UTC')::date - age, 'getMe', 'accepted', 1
       from public.api_keys, unnest('{90,92}'::int[]) age where id = $1`,
      [id],
    );
    await sql("select private.purge_api_key_usage()");
    const left = await sql<{ age: number }>(
      `select extract(day from now() - hour)::int as age from public.api_key_usage_hourly
       where api_key_id = $1
       union all select ((now() at time zone 'UTC')::date - day)::int
       from public.api_key_usage_daily where api_key_id = $1`,
      [id],
    );
    expect(left.map(({ age }) => age).sort()).toEqual([7, 90]);
  });

  it("announces the key's expiry 14, 3 and 1 days ahead, once each", async () => {
    const { create, tenant } = await tenantWithAdmin();
    const { id } = await create();
    const announcedAt = async (days: string) => {
      await sql("update public.api_keys set expires_at = now() + $2::interval where id = $1", [
        id,
        days,
      ]);
      await sql("select private.announce_expiring_api_keys()");
      await sql("select private.announce_expiring_api_keys()");
      const rows = await sql<{ days: number }>(
        `select (data ->> 'days_before')::int as days from public.events where tenant_id = $1
           and type = 'api_key.expiring' order by id`,
        [tenant],
      );
      return rows.map((row) => row.days);
    };
    expect(await announcedAt("20 days")).toEqual([]);
    expect(await announcedAt("13 days")).toEqual([14]);
    expect(await announcedAt("2 days 23 hours")).toEqual([14, 3]);
    expect(await announcedAt("23 hours")).toEqual([14, 3, 1]);
  });

  it("never writes the secret to the log", async () => {
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
