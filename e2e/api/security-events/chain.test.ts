import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { api, createTenant, database, sql, stack, uniqueName, userToken } from "#e2e/fixtures.ts";
import { codeOf } from "../api-keys/keys.ts";
import { auditCommand, type Trail, tamper, tenantWithTrail } from "./trail.ts";

const EVENTS = 9;

let trail: Trail;

beforeEach(async () => {
  trail = await tenantWithTrail();
});

/** What the API and the command say of the chain: the same. */
async function verdict(): Promise<{ reason: string | undefined; seq: number | undefined; event_id: string | null | undefined }> {
  const { status, fault } = await trail.verify();
  const { code, output } = await auditCommand("verify", "--tenant", trail.tenant);
  expect(code).toBe(status === "intact" ? 0 : 1);
  if (fault) expect(output).toContain(`broken at event ${fault.seq} (${fault.reason})`);
  else expect(output).toContain(`✓ ${trail.tenant}`);
  return { reason: fault?.reason, seq: fault?.seq, event_id: fault?.event_id };
}

async function idOf(seq: number): Promise<string | undefined> {
  const rows = await sql<{ id: string }>("select id from public.security_events where tenant_id = $1 and seq = $2", [trail.tenant, seq]);
  return rows[0]?.id;
}

/** As one would who knows all of the database: the hashes from there on, made to fit. */
const REHASH = `do $$
declare
  e public.security_events;
  before text;
begin
  select x.hash into before from public.security_events x where x.tenant_id = 'TENANT' and x.seq < FROM order by x.seq desc limit 1;
  for e in select * from public.security_events x where x.tenant_id = 'TENANT' and x.seq >= FROM order by x.seq loop
    e.prev_hash := before;
    e.hash := private.security_event_hash(e);
    update public.security_events x set prev_hash = e.prev_hash, hash = e.hash where x.id = e.id;
    before := e.hash;
  end loop;
  update private.security_event_heads h set hash = before, seq = (select max(seq) from public.security_events x where x.tenant_id = 'TENANT') where h.chain = 'TENANT';
end $$`;
const rehashFrom = (seq: number) => REHASH.replaceAll("TENANT", trail.tenant).replaceAll("FROM", String(seq));

describe("the trail is only ever added to", () => {
  it("by the application's strongest role: no change, no deletion, no truncation, no place of its own choosing", async () => {
    await trail.append(EVENTS);
    const refused = { code: "42501" };
    await expect(sql("update public.security_events set actor = 'user:eve' where tenant_id = $1", [trail.tenant])).rejects.toMatchObject(
      refused,
    );
    await expect(sql("update public.security_events set hash = hash where tenant_id = $1", [trail.tenant])).rejects.toMatchObject(refused);
    await expect(sql("delete from public.security_events where tenant_id = $1", [trail.tenant])).rejects.toMatchObject(refused);
    await expect(sql("truncate public.security_events")).rejects.toMatchObject(refused);
    await expect(sql("truncate public.tenants cascade")).rejects.toMatchObject(refused);
    await trail.signed();
    await expect(sql("update private.security_event_checkpoints set hash = 'x' where chain = $1", [trail.tenant])).rejects.toMatchObject(
      refused,
    );
    await expect(sql("delete from private.security_event_checkpoints where chain = $1", [trail.tenant])).rejects.toMatchObject(refused);
    await sql(
      "insert into public.security_events (tenant_id, type, actor, seq, prev_hash, hash) values ($1, 'test.done', 'user:eve', 3, 'x', 'y')",
      [trail.tenant],
    );
    expect((await trail.list({ actor: "user:eve" })).items).toMatchObject([{ seq: EVENTS + 1 }]);
    expect(await verdict()).toEqual({ reason: undefined, seq: undefined, event_id: undefined });
  });

  it("by anon, authenticated and service_role: no writing at all", async () => {
    for (const role of ["anon", "authenticated", "service_role"]) {
      const connection = await database.connect();
      try {
        for (const statement of [
          "insert into public.security_events (tenant_id, type, actor) values ('acme', 'test.done', 'x')",
          "update public.security_events set actor = 'x'",
          "delete from public.security_events",
          "truncate public.security_events",
          "select from private.security_event_heads",
          "delete from private.security_event_checkpoints",
        ]) {
          await connection.query("begin");
          await connection.query("select set_config('role', $1, true)", [role]);
          await expect(connection.query(statement), `${role}: ${statement}`).rejects.toMatchObject({ code: "42501" });
          await connection.query("rollback");
        }
      } finally {
        connection.release();
      }
    }
  });

  it("and what cannot take its place in the chain does not happen", async () => {
    const { tenant, admin } = trail;
    await sql(`alter table private.security_event_heads add constraint "no chain for ${tenant}" check (chain <> '${tenant}') not valid`);
    try {
      const body = { name: "Half", scopes: ["read:exceptions"], idempotency_key: uniqueName("half") };
      const answer = await api("POST", `/v1/tenants/${tenant}/api-keys`, { bearer: admin, tenant, body });
      expect(answer.status).toBe(500);
      expect(codeOf(answer)).toBe("internal");
      expect(await sql("select from public.api_keys where tenant_id = $1", [tenant])).toHaveLength(0);
      expect((await api("GET", "/v1/me", { bearer: stack.secretKey, tenant })).status).toBe(500);
      const refused = await api("GET", "/v1/security-events", { bearer: await userToken(tenant, ["tenant_analyst"]), tenant });
      expect(refused.status).toBe(500);
    } finally {
      await sql(`alter table private.security_event_heads drop constraint "no chain for ${tenant}"`);
    }
  });
});

describe("a chain shows what was done to it", () => {
  beforeEach(async () => {
    await trail.append(EVENTS);
  });

  it("nothing: it fits, whatever texts are in it", async () => {
    const odd = "\"\\/\b\f\n\r\t\u0001\u001f\u007f\u0080\u2028\u2029ß日本\u{1F511}'%s";
    await sql(
      "insert into public.security_events (tenant_id, type, actor, target, reason, address, details) values ($1, 'test.odd', $2, $2, '', '2001:db8::1/64', $3)",
      [trail.tenant, odd, JSON.stringify({ [odd]: [1.5, 1e300, -0, null, true, { deep: odd }], b: 12345678901234567890n.toString() })],
    );
    await sql(
      "insert into public.security_events (tenant_id, type, actor, details) values ($1, 'test.odd', 'x', '{\"n\": 1.500, \"m\": 123456789012345678901234567890}')",
      [trail.tenant],
    );
    expect(await verdict()).toEqual({ reason: undefined, seq: undefined, event_id: undefined });
    expect(await trail.verify()).toMatchObject({ events: EVENTS + 2, verified_through: { seq: EVENTS + 2 }, fault: null });
  });

  it.each<[string, () => string]>([
    ["a byte of the content", () => "update public.security_events set reason = 'x' where tenant_id = $1 and seq = 5"],
    ["a detail", () => `update public.security_events set details = '{"n": 6}' where tenant_id = $1 and seq = 5`],
    ["the time", () => "update public.security_events set at = at + interval '1 millisecond' where tenant_id = $1 and seq = 5"],
    ["the tenant's flag", () => "update public.security_events set cross_tenant = not cross_tenant where tenant_id = $1 and seq = 5"],
    ["the hash alone", () => "update public.security_events set hash = repeat('0', 64) where tenant_id = $1 and seq = 5"],
  ])("%s changed", async (_what, statement) => {
    const event_id = await idOf(5);
    await tamper([statement(), [trail.tenant]]);
    expect(await verdict()).toEqual({ reason: "content_changed", seq: 5, event_id });
  });

  it("the content changed and its hash made to fit", async () => {
    const event_id = await idOf(5);
    await tamper(
      ["update public.security_events set actor = 'user:eve' where tenant_id = $1 and seq = 5", [trail.tenant]],
      ["update public.security_events e set hash = private.security_event_hash(e) where tenant_id = $1 and seq = 5", [trail.tenant]],
    );
    expect(await verdict()).toEqual({ reason: "content_changed", seq: 5, event_id });
  });

  it("one removed", async () => {
    await tamper(["delete from public.security_events where tenant_id = $1 and seq = 5", [trail.tenant]]);
    expect(await verdict()).toEqual({ reason: "row_missing", seq: 5, event_id: null });
  });

  it("one removed, and the others moved up", async () => {
    await tamper(
      ["delete from public.security_events where tenant_id = $1 and seq = 5", [trail.tenant]],
      ["update public.security_events set seq = -seq where tenant_id = $1 and seq > 5", [trail.tenant]],
      ["update public.security_events set seq = -seq - 1 where tenant_id = $1 and seq < 0", [trail.tenant]],
    );
    expect(await verdict()).toMatchObject({ reason: "row_missing", seq: 5 });
  });

  it("the first removed", async () => {
    await tamper(["delete from public.security_events where tenant_id = $1 and seq < 3", [trail.tenant]]);
    expect(await verdict()).toEqual({ reason: "row_missing", seq: 1, event_id: null });
  });

  it("two that changed places", async () => {
    const event_id = await idOf(7);
    await tamper(
      ["update public.security_events set seq = -1 where tenant_id = $1 and seq = 5", [trail.tenant]],
      ["update public.security_events set seq = 5 where tenant_id = $1 and seq = 7", [trail.tenant]],
      ["update public.security_events set seq = 7 where tenant_id = $1 and seq = -1", [trail.tenant]],
    );
    expect(await verdict()).toEqual({ reason: "order_changed", seq: 5, event_id });
  });

  it("one put in past the chain", async () => {
    await tamper([
      "insert into public.security_events (id, tenant_id, type, actor, credential) values ('sev_00000000000000000000000000000000' || substr(md5($1), 1, 4), $1, 'test.done', 'user:eve', 'user')",
      [trail.tenant],
    ]);
    expect(await verdict()).toMatchObject({ reason: "not_chained" });
  });

  it.each([
    ["after the end", 4711],
    ["before the beginning", 0],
  ])("one put in past the chain, %s", async (_where, seq) => {
    const event_id = `sev_${"0".repeat(28)}${trail.tenant.slice(-4)}`;
    await tamper([
      "insert into public.security_events (id, tenant_id, type, actor, credential, seq, prev_hash, hash) select $2, $1, 'test.done', 'user:eve', 'user', $3, hash, hash from public.security_events where tenant_id = $1 and seq = 7",
      [trail.tenant, event_id, seq],
    ]);
    expect(await verdict()).toMatchObject({ reason: "not_chained", event_id });
  });

  it("all rewritten from one place on so that every hash fits: what was signed says otherwise", async () => {
    await trail.signed();
    await tamper(
      ["update public.security_events set actor = 'user:eve' where tenant_id = $1 and seq = 5", [trail.tenant]],
      [rehashFrom(5)],
    );
    expect(await verdict()).toMatchObject({ reason: "tail_rewritten" });
    const { fault, verified_through } = await trail.verify();
    expect(fault?.message).toMatch(/some of the events \d+ to \d+ were rewritten since/);
    expect(verified_through?.seq).toBeLessThan(EVENTS);
  });

  it("the end cut off", async () => {
    await tamper(["delete from public.security_events where tenant_id = $1 and seq > 6", [trail.tenant]]);
    expect(await verdict()).toEqual({ reason: "tail_cut", seq: 7, event_id: null });
  });

  it("the end cut off, and the head made to fit: what was signed says otherwise", async () => {
    await trail.signed();
    await tamper(["delete from public.security_events where tenant_id = $1 and seq > 6", [trail.tenant]], [rehashFrom(6)]);
    expect(await verdict()).toEqual({ reason: "tail_cut", seq: 7, event_id: null });
  });

  it("all of it removed", async () => {
    await trail.signed();
    await tamper(
      ["delete from public.security_events where tenant_id = $1", [trail.tenant]],
      ["delete from private.security_event_heads where chain = $1", [trail.tenant]],
    );
    expect(await verdict()).toEqual({ reason: "tail_cut", seq: 1, event_id: null });
  });

  it("a signed state made to fit: nobody without the key can", async () => {
    await trail.signed();
    await tamper(
      ["update public.security_events set actor = 'user:eve' where tenant_id = $1 and seq = 5", [trail.tenant]],
      [rehashFrom(5)],
      [
        `update private.security_event_checkpoints c set hash = e.hash from public.security_events e
         where e.tenant_id = c.chain and e.seq = c.seq and c.chain = $1`,
        [trail.tenant],
      ],
    );
    expect(await verdict()).toMatchObject({ reason: "checkpoint_invalid" });
  });

  it("rewritten with all signed states removed: a line of the worker's log, kept elsewhere, says otherwise", async () => {
    await trail.signed();
    const { checkpoint } = await trail.verify();
    await tamper(
      ["update public.security_events set actor = 'user:eve' where tenant_id = $1 and seq = 5", [trail.tenant]],
      [rehashFrom(5)],
      ["delete from private.security_event_checkpoints where chain = $1", [trail.tenant]],
    );
    expect((await trail.verify()).status).toBe("intact");
    const log = join(mkdtempSync(join(tmpdir(), "tieout-audit-")), "worker.log");
    writeFileSync(
      log,
      `{"msg":"something else"}\nno json\n${JSON.stringify({ msg: "audit checkpoint", chain: trail.tenant, ...checkpoint })}\n`,
    );
    const { code, output } = await auditCommand("verify", "--tenant", trail.tenant, "--checkpoints", log);
    expect(code).toBe(1);
    expect(output).toContain("tail_rewritten");
  });

  it("a broken chain is not signed on", async () => {
    await trail.signed();
    await tamper(
      ["update public.security_events set reason = 'x' where tenant_id = $1 and seq = $2", [trail.tenant, EVENTS]],
      [rehashFrom(EVENTS)],
    );
    const other = await createTenant();
    await sql("insert into public.security_events (tenant_id, type, actor) values ($1, 'test.done', 'x'), ($2, 'test.done', 'x')", [
      trail.tenant,
      other,
    ]);
    const signed = () => sql("select from private.security_event_checkpoints where chain = $1 and seq = $2", [other, 1]);
    await expect.poll(async () => (await signed()).length, { timeout: 30_000 }).toBe(1);
    expect(await sql("select from private.security_event_checkpoints where chain = $1 and seq > $2", [trail.tenant, EVENTS])).toHaveLength(
      0,
    );
  });
});

describe("many at once", () => {
  it("each tenant's chain fits, without a gap, and no call waits for another tenant", async () => {
    const trails = await Promise.all(Array.from({ length: 10 }, tenantWithTrail));
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        api("GET", "/v1/me", { bearer: stack.secretKey, tenant: trails[n % 10]?.tenant, headers: { "X-Audit-Reason": `Call ${n}` } }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    for (const one of trails) expect(await one.verify()).toMatchObject({ status: "intact", events: 30, verified_through: { seq: 30 } });
  });

  it("a transaction that stays open holds up nobody, of its own tenant neither", async () => {
    const connection = await database.connect();
    try {
      await connection.query("begin");
      await connection.query("insert into public.security_events (tenant_id, type, actor) values ($1, 'test.slow', 'user:ada')", [
        trail.tenant,
      ]);
      expect((await api("GET", "/v1/me", { bearer: stack.secretKey, tenant: trail.tenant })).status).toBe(200);
      expect((await trail.list()).items.map(({ type }) => type)).toEqual(["service_role.call"]);
      await connection.query("commit");
    } finally {
      connection.release();
    }
    expect((await trail.list({ type: "test.slow" })).items).toMatchObject([{ seq: 2 }]);
    expect((await trail.verify()).status).toBe("intact");
  });
});
