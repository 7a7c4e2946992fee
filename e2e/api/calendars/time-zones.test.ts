import { expect, it } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import { WEEKDAYS } from "#lib/calendars/contract.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { dueIn, tenantWithLead } from "../sla/exceptions.ts";

const ALWAYS = {
  name: "Always",
  time_zone: "Europe/Berlin",
  weekly: WEEKDAYS.map((day) => ({ day, from: "00:00", to: "24:00" })),
};
const POLICY = {
  minutes_to_resolve: { critical: 240, high: 480, medium: 1440, low: 4320 },
  at_risk_thresholds: [60],
};

/**
 * A tenant whose calendar was computed with older time zone data. By that data, it closes for two
 * hours, starting one to two hours from now.
 */
async function tenantWithOlderZoneData() {
  const created = await tenantWithLead();
  const { id } = (await created.call("POST", "/v1/calendars", ALWAYS)).json as { id: string };
  await created.call("PUT", "/v1/sla-policy", { ...POLICY, calendar_id: id });
  await sql(
    `with was as (
       update private.calendar_spans set ends_at = date_trunc('hour', now()) + interval '2 hours'
       where tenant_id = $1 returning *
     )
     insert into private.calendar_spans
     select w.tenant_id, w.calendar_no, w.ends_at + interval '2 hours', c.covered_until,
       w.open_before + (extract(epoch from w.ends_at - w.starts_at) * 1000)::bigint
     from was w join private.calendar_coverage c on c.tenant_id = w.tenant_id
       and c.calendar_no = w.calendar_no`,
    [created.tenant],
  );
  await sql(
    `update private.calendar_coverage set open_until = open_until - 7200000, zone_print = 'older'
     where tenant_id = $1`,
    [created.tenant],
  );
  const read = async (exception: string) =>
    (await created.call("GET", `/v1/exceptions/${exception}`)).json as Exception;
  return { ...created, read };
}

async function compareAll(tenant: string): Promise<void> {
  await sql(
    "update private.calendar_coverage set zone_checked_at = '-infinity' where tenant_id = $1",
    [tenant],
  );
  while (
    (await sql<{ compared: number }>("select private.rebuild_calendars() as compared"))[0]?.compared
  ) {}
}

const hoursToResolve = ({ due_at, created_at }: Exception) =>
  (Date.parse(due_at) - Date.parse(created_at)) / 3_600_000;

it("recomputes open deadlines when time zone data changes, except manual and passed ones", async () => {
  const { tenant, create, call, read } = await tenantWithOlderZoneData();
  const moved = await create({ severity: "high" });
  expect(hoursToResolve(moved)).toBe(10);
  const byHand = await create({ severity: "high", due_at: await dueIn(900) });
  const breached = await create({ severity: "high", due_at: await dueIn(-5) });
  const paused = await create({ severity: "high" });
  await call("POST", `/v1/exceptions/${paused.id}/pause`, { reason: "Waiting" });
  await compareAll(tenant);
  expect(hoursToResolve(await read(moved.id))).toBe(8);
  expect(await read(moved.id)).toMatchObject({ business_minutes_remaining: 480 });
  expect((await read(byHand.id)).due_at).toBe(byHand.due_at);
  expect((await read(breached.id)).due_at).toBe(breached.due_at);
  const resumed = (await call("POST", `/v1/exceptions/${paused.id}/resume`)).json as Exception;
  expect(hoursToResolve(resumed)).toBeGreaterThanOrEqual(8);
  expect(hoursToResolve(resumed)).toBeLessThan(8.1);
  const { rows } = (await call("GET", `/v1/exceptions/${moved.id}/ledger`)).json as {
    rows: { kind: string; moved_seconds: number; actor: string }[];
  };
  expect(rows.at(-1)).toMatchObject({
    kind: "recalculated",
    actor: "system",
    moved_seconds: -7200,
  });
  expect(
    await sql(
      "select count(*)::integer as spans from private.calendar_spans where tenant_id = $1",
      [tenant],
    ),
  ).toEqual([{ spans: 1 }]);
});

it("still detects older data after an extension, once a day per calendar", async () => {
  const { tenant } = await tenantWithOlderZoneData();
  const print = () =>
    sql(
      `select zone_print = 'older' as older, zone_checked_at = '-infinity' as awaited
       from private.calendar_coverage where tenant_id = $1`,
      [tenant],
    );
  await sql("select private.rebuild_calendars()");
  expect(await print()).toEqual([{ older: true, awaited: false }]);
  await sql(
    `select private.extend_business_time(c.tenant_id, c.calendar_no, now(),
       now() + interval '4 years') from private.calendar_coverage c where c.tenant_id = $1`,
    [tenant],
  );
  expect(await print()).toEqual([{ older: true, awaited: true }]);
  await compareAll(tenant);
  expect(await print()).toEqual([{ older: false, awaited: false }]);
});
