import { describe, expect, it } from "vitest";
import { avoidMidnight } from "#e2e/avoid-midnight.ts";
import { sql } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { ApiKey } from "#lib/api-keys/contract.ts";
import { pathsOf, tenantWithAdmin } from "./keys.ts";

describe("the list of API keys", () => {
  it("finds keys by part of their name in any case, of their key_id, and by their id", async () => {
    const { create, call } = await tenantWithAdmin();
    const ledger = await create({ name: "Nightly Ledger export" });
    const batch = await create({ name: "100%_batch" });
    const found = async (q: string) =>
      ((await call("GET", `?q=${encodeURIComponent(q)}`)).json as { items: ApiKey[] }).items.map(
        ({ id }) => id,
      );
    expect(await found("ledger")).toEqual([ledger.id]);
    expect(await found(ledger.key_id.slice(4, 12))).toEqual([ledger.id]);
    expect(await found(batch.id)).toEqual([batch.id]);
    expect(await found("%_")).toEqual([batch.id]);
    expect(await found("nothing like it")).toEqual([]);
    expect(pathsOf(await call("GET", "?q="))).toContain("q");
  });

  it("searches all pages, also together with a status", async () => {
    const { create, call } = await tenantWithAdmin();
    const keys = [
      await create({ name: "Batch 1" }),
      await create({ name: "Other" }),
      await create({ name: "Batch 2" }),
    ];
    const first = (await call("GET", "?q=batch&limit=1")).json as {
      items: ApiKey[];
      next_cursor: string;
    };
    const second = (await call("GET", `?q=batch&limit=1&cursor=${first.next_cursor}`)).json as {
      items: ApiKey[];
      next_cursor: null;
    };
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual([
      keys[2]?.id,
      keys[0]?.id,
    ]);
    await call("DELETE", `/${keys[0]?.id}`);
    const revoked = (await call("GET", "?q=batch&status=revoked")).json as { items: ApiKey[] };
    expect(revoked.items.map(({ id }) => id)).toEqual([keys[0]?.id]);
  });

  it("counts each key's calls of the last 7 days without refused ones, today last", async () => {
    await avoidMidnight();
    const { create, use, call, get } = await tenantWithAdmin();
    const { id, credential } = await create();
    const strict = await create({ ip_allowlist: ["192.0.2.1"] });
    await sql(
      `insert into public.api_key_usage_daily (api_key_id, tenant_id, day, operation, outcome,
         calls)
       select $1, tenant_id, (now() at time zone 'UTC')::date - d.ago, 'listExceptions',
         'accepted', d.calls
       from public.api_keys, (values (7, 9), (6, 4), (2, 5)) as d (ago, calls) where id = $1`,
      [id],
    );
    await Promise.all([use(credential), use(credential), use(strict.credential)]);
    await until("the calls are counted", async () => (await get(id)).request_count === 2);
    const nowMs = async () => Number((await sql<{ now: Date }>("select now()"))[0]?.now);
    const before = await nowMs();
    const list = (await call("GET", "")).json as { items: ApiKey[]; as_of: string };
    expect(list.items.map((key) => key.calls_by_day)).toEqual([
      [0, 0, 0, 0, 0, 0, 0],
      [4, 0, 0, 0, 5, 0, 2],
    ]);
    // The two times are rounded to milliseconds differently.
    expect(Date.parse(list.as_of)).toBeGreaterThanOrEqual(before - 1);
    expect(Date.parse(list.as_of)).toBeLessThanOrEqual((await nowMs()) + 1);
  });
});
