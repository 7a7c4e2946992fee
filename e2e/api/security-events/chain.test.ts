import { beforeEach, describe, expect, it } from "vitest";
import { api, database, sql, stack, uniqueName, userToken } from "#e2e/fixtures.ts";
import { codeOf } from "../api-keys/keys.ts";
import { type Trail, tenantWithTrail } from "./trail.ts";

const EVENTS = 9;

let trail: Trail;

/** Retries on deadlocks with other tests, because the statement locks many tables. */
async function withoutDeadlock(statement: string): Promise<unknown> {
  return sql(statement).catch((error: { code?: string }) => {
    if (error.code === "40P01") return withoutDeadlock(statement);
    throw error;
  });
}

beforeEach(async () => {
  trail = await tenantWithTrail();
});

describe("the audit log is append-only", () => {
  it("the strongest role can't update, delete, truncate or choose a position", async () => {
    await trail.append(EVENTS);
    const refused = { code: "42501" };
    await expect(
      sql("update public.security_events set actor = 'user:eve' where tenant_id = $1", [
        trail.tenant,
      ]),
    ).rejects.toMatchObject(refused);
    await expect(
      sql("update public.security_events set hash = hash where tenant_id = $1", [trail.tenant]),
    ).rejects.toMatchObject(refused);
    await expect(
      sql("delete from public.security_events where tenant_id = $1", [trail.tenant]),
    ).rejects.toMatchObject(refused);
    await expect(sql("truncate public.security_events")).rejects.toMatchObject(refused);
    await expect(withoutDeadlock("truncate public.tenants cascade")).rejects.toMatchObject(refused);
    await trail.signed();
    await expect(
      sql("update private.security_event_checkpoints set hash = 'x' where chain = $1", [
        trail.tenant,
      ]),
    ).rejects.toMatchObject(refused);
    await expect(
      sql("delete from private.security_event_checkpoints where chain = $1", [trail.tenant]),
    ).rejects.toMatchObject(refused);
    await sql(
      `insert into public.security_events (tenant_id, type, actor, seq, prev_hash, hash)
       values ($1, 'test.done', 'user:eve', 3, 'x', 'y')`,
      [trail.tenant],
    );
    expect((await trail.list({ actor: "user:eve" })).items).toMatchObject([{ seq: EVENTS + 1 }]);
    expect((await trail.verify()).status).toBe("intact");
  });

  it("anon, authenticated and service_role can't write", async () => {
    for (const role of ["anon", "authenticated", "service_role"]) {
      const connection = await database.connect();
      try {
        for (const statement of [
          `insert into public.security_events (tenant_id, type, actor)
           values ('acme', 'test.done', 'x')`,
          "update public.security_events set actor = 'x'",
          "delete from public.security_events",
          "truncate public.security_events",
          "select from private.security_event_heads",
          "delete from private.security_event_checkpoints",
        ]) {
          await connection.query("begin");
          await connection.query("select set_config('role', $1, true)", [role]);
          await expect(connection.query(statement), `${role}: ${statement}`).rejects.toMatchObject({
            code: "42501",
          });
          await connection.query("rollback");
        }
      } finally {
        connection.release();
      }
    }
  });

  it("an action whose event can't be recorded doesn't happen", async () => {
    const { tenant, admin } = trail;
    await sql(
      `alter table private.security_event_heads add constraint "no chain for ${tenant}" check (chain <> '${tenant}') not valid`,
    );
    try {
      const body = {
        name: "Half",
        scopes: ["read:exceptions"],
        idempotency_key: uniqueName("half"),
      };
      const answer = await api("POST", `/v1/tenants/${tenant}/api-keys`, {
        bearer: admin,
        tenant,
        body,
      });
      expect(answer.status).toBe(500);
      expect(codeOf(answer)).toBe("internal");
      expect(await sql("select from public.api_keys where tenant_id = $1", [tenant])).toHaveLength(
        0,
      );
      expect((await api("GET", "/v1/me", { bearer: stack.secretKey, tenant })).status).toBe(500);
      const refused = await api("GET", "/v1/security-events", {
        bearer: await userToken(tenant, ["tenant_analyst"]),
        tenant,
      });
      expect(refused.status).toBe(500);
    } finally {
      await sql(
        `alter table private.security_event_heads drop constraint "no chain for ${tenant}"`,
      );
    }
  });
});

describe("concurrent writers", () => {
  it("each tenant's chain is complete, and no call waits for another tenant", async () => {
    const trails = await Promise.all(Array.from({ length: 10 }, tenantWithTrail));
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        api("GET", "/v1/me", {
          bearer: stack.secretKey,
          tenant: trails[n % 10]?.tenant,
          headers: { "X-Audit-Reason": `Call ${n}` },
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    for (const one of trails)
      expect(await one.verify()).toMatchObject({
        status: "intact",
        events: 30,
        verified_through: { seq: 30 },
      });
  });

  it("a long transaction blocks nobody, not even its own tenant", async () => {
    const connection = await database.connect();
    try {
      await connection.query("begin");
      await connection.query(
        `insert into public.security_events (tenant_id, type, actor)
         values ($1, 'test.slow', 'user:ada')`,
        [trail.tenant],
      );
      expect(
        (await api("GET", "/v1/me", { bearer: stack.secretKey, tenant: trail.tenant })).status,
      ).toBe(200);
      expect((await trail.list()).items.map(({ type }) => type)).toEqual(["service_role.call"]);
      await connection.query("commit");
    } finally {
      connection.release();
    }
    expect((await trail.list({ type: "test.slow" })).items).toMatchObject([{ seq: 2 }]);
    expect((await trail.verify()).status).toBe("intact");
  });
});
