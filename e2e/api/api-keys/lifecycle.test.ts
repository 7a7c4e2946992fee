import { describe, expect, it } from "vitest";
import { duringTransaction } from "#e2e/during-transaction.ts";
import { sql, uniqueName } from "#e2e/fixtures.ts";
import { lastAccepted } from "#e2e/last-accepted.ts";
import { until } from "#e2e/until.ts";
import { startWebProcess } from "#e2e/web-process.ts";
import type { ApiKey, NewApiKey } from "#lib/api-keys/contract.ts";
import { codeOf, credentialOf, tenantWithAdmin } from "./keys.ts";

describe("rotating an API key", () => {
  it("keeps the old key exactly for the grace period, by the database's clock", async () => {
    const { create, call, use, get } = await tenantWithAdmin();
    const old = await create({ description: "Batch", ip_allowlist: ["127.0.0.0/8", "::1"] });
    const answer = await call("POST", `/${old.id}/rotate`, { grace_period_seconds: 3600 });
    expect(answer.status).toBe(201);
    const successor = answer.json as NewApiKey;
    expect(successor).toMatchObject({
      name: old.name,
      scopes: old.scopes,
      ip_allowlist: old.ip_allowlist,
    });
    expect(successor.key_secret).not.toBe(old.key_secret);
    expect((await use(old.credential)).status).toBe(200);
    expect((await use(credentialOf(successor))).status).toBe(200);
    const grace_expires_at = new Date(Date.parse(successor.created_at) + 3_600_000).toISOString();
    expect(await get(old.id)).toMatchObject({
      status: "rotating",
      rotated_to: successor.id,
      grace_expires_at,
    });
    expect(await get(successor.id)).toMatchObject({
      status: "active",
      rotated_from: old.id,
      description: "Batch",
    });

    await sql(
      `update public.api_keys set grace_expires_at = clock_timestamp() + interval '1 second'
       where id = $1`,
      [old.id],
    );
    const refused = await until("the grace period is over", async () => {
      const used = await use(old.credential);
      return used.status === 401 && used;
    });
    const { elapsed } =
      (
        await sql<{ elapsed: boolean }>(
          `select grace_expires_at <= clock_timestamp() as elapsed from public.api_keys
           where id = $1`,
          [old.id],
        )
      )[0] ?? {};
    expect(elapsed).toBe(true);
    expect(refused.text).toContain("revoked");
    expect(await get(old.id)).toMatchObject({ status: "revoked", revoked_by: "system" });
    expect((await use(credentialOf(successor))).status).toBe(200);
  });

  it("ends the old key at once with a grace period of 0", async () => {
    const { create, call, use } = await tenantWithAdmin();
    const old = await create();
    expect((await use(old.credential)).status).toBe(200);
    await call("POST", `/${old.id}/rotate`, { grace_period_seconds: 0 });
    expect((await use(old.credential)).status).toBe(401);
  });

  it("gives the successor the same lifetime, and never extends the old key's expiry", async () => {
    const { create, call, use, get } = await tenantWithAdmin();
    const old = await create({ expires_at: new Date(Date.now() + 86_400_000).toISOString() });
    const successor = (await call("POST", `/${old.id}/rotate`, { grace_period_seconds: 604_800 }))
      .json as NewApiKey;
    const life = (key: { expires_at: string | null; created_at: string }) =>
      Date.parse(key.expires_at ?? "") - Date.parse(key.created_at);
    expect(Math.abs(life(successor) - life(old))).toBeLessThan(5);
    expect(await get(old.id)).toMatchObject({
      status: "rotating",
      grace_expires_at: old.expires_at,
      expires_at: old.expires_at,
    });

    const sooner = new Date(Date.now() + 3_600_000).toISOString();
    expect((await call("PATCH", `/${old.id}`, { expires_at: sooner })).json).toMatchObject({
      grace_expires_at: sooner,
      expires_at: sooner,
    });
    expect((await call("PATCH", `/${old.id}`, { expires_at: null })).json).toMatchObject({
      grace_expires_at: sooner,
      expires_at: null,
    });
    await expect(
      sql("update public.api_keys set expires_at = now() where id = $1", [old.id]),
    ).rejects.toThrow("check constraint");
    await sql(
      "update public.api_keys set expires_at = now(), grace_expires_at = now() where id = $1",
      [old.id],
    );
    await until("the old key has ended", async () => (await use(old.credential)).status === 401);
  });

  it("reports the end of the grace period once, as a security event and to receivers", async () => {
    const { create, call, tenant } = await tenantWithAdmin();
    const old = await create();
    const other = await create();
    for (const { id } of [old, other])
      expect((await call("POST", `/${id}/rotate`, { grace_period_seconds: 3600 })).status).toBe(
        201,
      );
    const { grace_expires_at: at } = (
      await sql<{ grace_expires_at: Date }>(
        `update public.api_keys set grace_expires_at = now() - interval '1 hour' where id = $1
         returning grace_expires_at`,
        [old.id],
      )
    )[0] as { grace_expires_at: Date };
    await Promise.all(Array.from({ length: 3 }, () => sql("select private.end_grace_periods()")));
    await sql("select graphile_worker.add_job('end_grace_periods')");
    const received = await until("both have it", async () => {
      const audited = await sql<{ target: string; actor: string; reason: string }>(
        `select target, actor, reason from public.security_events where tenant_id = $1
           and type = 'api_key.revoked'`,
        [tenant],
      );
      const sent = await sql<{ data: object }>(
        "select data from public.events where tenant_id = $1 and type = 'api_key.revoked'",
        [tenant],
      );
      const waiting = await sql(
        "select from graphile_worker.jobs where task_identifier = 'end_grace_periods'",
      );
      return waiting.length === 0 && { audited, sent: sent.map(({ data }) => data) };
    });
    const reason = "The grace period of its rotation elapsed.";
    expect(received).toEqual({
      audited: [{ target: old.id, actor: "system", reason }],
      sent: [
        {
          id: old.id,
          name: old.name,
          key_id: old.key_id,
          revoked_at: at.toISOString(),
          revoked_by: "system",
          reason,
        },
      ],
    });
    expect((await call("DELETE", `/${old.id}`, {})).json).toMatchObject({
      revoked_at: at.toISOString(),
      revoked_by: "system",
    });
  });

  it("accepts one of two concurrent rotations", async () => {
    const { create, call, tenant } = await tenantWithAdmin();
    const { id } = await create();
    const rotate = () => call("POST", `/${id}/rotate`, {});
    const answers = await duringTransaction(
      [["select from public.api_keys where id = $1 for update", [id]]],
      [rotate, rotate],
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await sql("select from public.api_keys where tenant_id = $1", [tenant])).toHaveLength(2);
  });

  it("replays the successor's secret under the same idempotency key", async () => {
    const { create, call } = await tenantWithAdmin();
    const { id } = await create();
    const body = { grace_period_seconds: 60, idempotency_key: uniqueName("rotate") };
    const [first, second] = [
      await call("POST", `/${id}/rotate`, body),
      await call("POST", `/${id}/rotate`, body),
    ];
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

  it.each([-1, 604_801, 1.5, "60"])(
    "refuses a grace period of %s",
    async (grace_period_seconds) => {
      const { create, call } = await tenantWithAdmin();
      const { id } = await create();
      expect((await call("POST", `/${id}/rotate`, { grace_period_seconds })).status).toBe(400);
    },
  );
});

describe("revoking an API key", () => {
  it("refuses the next call here at once, and every call elsewhere within a second", async () => {
    const { create, call, use, tenant } = await tenantWithAdmin();
    const { id, credential } = await create();
    const other = await startWebProcess();
    const useOther = async () =>
      (
        await fetch(`${other.url}/v1/exceptions`, {
          headers: { Authorization: `Bearer ${credential}`, "X-Tenant-Id": tenant },
        })
      ).status;
    try {
      expect([(await use(credential)).status, await useOther()]).toEqual([200, 200]);
      const answer = await call("DELETE", `/${id}`, { reason: "Leaked in a build log" });
      const revokedAt = performance.now();
      expect(answer.json).toMatchObject({
        status: "revoked",
        revoked_by: "user:ada",
        revoke_reason: "Leaked in a build log",
      });
      expect((await use(credential)).status).toBe(401);
      expect(
        (await lastAccepted(revokedAt, async () => (await useOther()) === 401)) - revokedAt,
      ).toBeLessThan(1000);
    } finally {
      await other.stop();
    }
  });

  it("needs no body, and returns a revoked key unchanged", async () => {
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
    const [event] = await sql<{
      actor: string;
      reason: string;
      target: string;
      request_id: string;
      address: string;
    }>(
      `select actor, reason, target, request_id, host(address) as address
       from public.security_events where tenant_id = $1 and type = 'api_key.revoked'`,
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
      await sql(
        `select from public.events where tenant_id = $1 and type = 'api_key.revoked'
           and data ->> 'id' = $2`,
        [tenant, id],
      ),
    ).toHaveLength(1);
  });
});

describe("changing an API key", () => {
  it("takes effect on the next call, and is a security event with before and after", async () => {
    const { create, call, use, tenant } = await tenantWithAdmin();
    const { id, credential } = await create();
    expect((await use(credential)).status).toBe(200);
    const answer = await call("PATCH", `/${id}`, {
      scopes: ["write:exceptions"],
      ip_allowlist: ["203.0.113.7"],
      expires_at: null,
    });
    expect(answer.json).toMatchObject({
      scopes: ["write:exceptions"],
      ip_allowlist: ["203.0.113.7/32"],
    });
    expect((await use(credential)).status).toBe(403);
    const [event] = await sql<{ details: object }>(
      `select details from public.security_events where tenant_id = $1
         and type = 'api_key.updated'`,
      [tenant],
    );
    expect(event?.details).toMatchObject({
      scopes: { from: ["read:exceptions"], to: ["write:exceptions"] },
    });
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
    for (const field of [
      "id",
      "tenant_id",
      "key_id",
      "created_by",
      "created_at",
      "revoked_at",
      "request_count",
    ]) {
      expect((await call("PATCH", `/${id}`, { [field]: "x" })).status).toBe(400);
    }
    const granted = await sql<{ column_name: string }>(
      `select column_name from information_schema.column_privileges where table_name = 'api_keys'
         and grantee = 'authenticated' and privilege_type = 'UPDATE'`,
    );
    for (const { column_name } of granted)
      expect(["id", "tenant_id", "key_id", "created_by", "created_at"]).not.toContain(column_name);
  });
});
