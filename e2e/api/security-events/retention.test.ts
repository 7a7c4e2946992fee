import { beforeEach, describe, expect, it } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { auditCommand, type Trail, tamper, tenantWithTrail } from "./trail.ts";

let trail: Trail;

beforeEach(async () => {
  trail = await tenantWithTrail();
});

async function happened(daysAgo: number, count: number): Promise<void> {
  await sql(
    `insert into public.security_events (tenant_id, at, type, actor) select $1,
       now() - make_interval(days => $2), 'test.done', 'user:ada'
     from generate_series(1, $3::integer)`,
    [trail.tenant, daysAgo, count],
  );
}

const remaining = async () =>
  (
    await sql<{ seq: number }>(
      "select seq::integer from public.security_events where tenant_id = $1 order by seq",
      [trail.tenant],
    )
  ).map(({ seq }) => seq);

/** Runs the worker's hourly tasks. */
async function anHourPasses(): Promise<void> {
  await sql("select graphile_worker.add_job('sign_off_security_events')");
  await until(
    "the beginning is signed off",
    async () =>
      (
        await sql(
          "select from private.security_event_checkpoints where chain = $1 and kind = 'prefix'",
          [trail.tenant],
        )
      ).length > 0,
  );
  await sql("select graphile_worker.add_job('purge_security_events')");
}

describe("the deletion of old events", () => {
  it("removes those of more than 400 days from the start only, and the remainder still verifies", async () => {
    await happened(401, 5);
    await happened(399, 1);
    await happened(500, 2);
    await happened(1, 2);
    await anHourPasses();
    await until("they are gone", async () => (await remaining()).length === 6);
    expect(await remaining()).toEqual([6, 7, 8, 9, 10, 11]);
    expect(await trail.verify()).toMatchObject({
      status: "intact",
      forgotten_through_seq: 5,
      events: 6,
      verified_through: { seq: 11 },
    });
    expect((await auditCommand("verify", "--tenant", trail.tenant)).output).toContain(
      "6 events after the purged 5 verified",
    );
    expect((await trail.list({ type: "security_events.forgotten" })).items).toMatchObject([
      { actor: "system", details: { through_seq: 5 } },
    ]);
    await expect(
      sql("delete from public.security_events where tenant_id = $1", [trail.tenant]),
    ).rejects.toMatchObject({ code: "42501" });

    await tamper([
      "delete from private.security_event_checkpoints where chain = $1 and kind = 'prefix'",
      [trail.tenant],
    ]);
    expect((await trail.verify()).fault).toMatchObject({ reason: "row_missing", seq: 1 });
  });

  it("follows the number of days that a tenant chose, which is recorded as an event", async () => {
    await happened(45, 3);
    await happened(10, 1);
    expect(await auditCommand("retention", trail.tenant, "30")).toMatchObject({
      code: 0,
      output: expect.stringContaining("for 30 days (before: 400)"),
    });
    expect((await trail.list({ type: "security_events.retention_changed" })).items).toMatchObject([
      { actor: "operator", details: { days: { from: 400, to: 30 } } },
    ]);
    await anHourPasses();
    await until("they are gone", async () => (await remaining())[0] === 4);
    expect((await trail.verify()).status).toBe("intact");
    for (const days of ["29", "4000", "x", "-1"])
      expect((await auditCommand("retention", trail.tenant, days)).code).toBe(1);
    expect((await auditCommand("retention", "no-such-tenant", "90")).output).toContain(
      "There is no tenant no-such-tenant",
    );
  });

  it("never signs off a broken beginning", async () => {
    await happened(401, 5);
    await happened(1, 1);
    await tamper([
      "update public.security_events set reason = 'x' where tenant_id = $1 and seq = 3",
      [trail.tenant],
    ]);
    const other = await tenantWithTrail();
    const broken = trail;
    trail = other;
    await happened(401, 1);
    await anHourPasses();
    trail = broken;
    expect(await remaining()).toEqual([1, 2, 3, 4, 5, 6]);
    expect((await trail.verify()).fault).toMatchObject({ reason: "content_changed", seq: 3 });
  });

  it("keeps the last signed state of each hour", async () => {
    await happened(1, 3);
    await trail.signed();
    const copy = (seq: number, at: string) =>
      sql(
        `insert into private.security_event_checkpoints select chain, kind, $2, hash, ${at},
           key_id, signature
         from private.security_event_checkpoints where chain = $1 limit 1`,
        [trail.tenant, seq],
      );
    // The same day for both, even if the test runs at midnight.
    const noon = "date_trunc('day', now(), 'UTC') + interval '12 hours'";
    await copy(-4, `${noon} - interval '30 days 1 minute'`);
    await copy(-3, `${noon} - interval '30 days'`);
    await copy(-2, "now() - interval '10 minutes'");
    await copy(-1, "now() - interval '9 minutes'");
    await sql("select private.purge_security_events()");
    const seqs = await sql<{ seq: string }>(
      `select seq from private.security_event_checkpoints where chain = $1 and seq < 0
       order by seq`,
      [trail.tenant],
    );
    expect(seqs.map(({ seq }) => Number(seq))).toEqual([-3, -2, -1]);
  });
});
