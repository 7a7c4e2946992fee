import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { sql, superuserUrl } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import {
  ALWAYS,
  expectToAddUp,
  ms,
  OFFICE,
  POLICY,
  type Row,
  type Segment,
  tenantWithCalendar,
  WEEK,
} from "./calendars.ts";
import { dueIn } from "./exceptions.ts";

/** Backdates everything that happened to an exception by this number of days. */
async function backdate(tenant: string, id: string, days: number): Promise<void> {
  const client = new Client({ connectionString: superuserUrl() });
  await client.connect();
  try {
    await client.query("begin");
    // Disables triggers, which must not record the backdating as a change.
    await client.query("set local session_replication_role = replica");
    const past = `make_interval(hours => ${24 * days})`;
    const move = (table: string, key: string, columns: string[]) =>
      client.query(
        `update ${table} x set ${columns.map((column) => `${column} = ${column} - ${past}`).join(", ")}
         where x.tenant_id = $1 and x.${key} = $2`,
        [tenant, id],
      );
    await move("public.exceptions", "id", [
      "created_at",
      "updated_at",
      "due_at",
      "held_due_at",
      "paused_at",
      "paused_until",
    ]);
    await move("public.exception_ledger", "exception_id", ["at", "due_at"]);
    await move("private.exception_clocks", "exception_id", ["due_at", "next_at"]);
    await client.query(
      `update public.exceptions x
       set due_open_ms = private.open_ms(x.tenant_id, x.calendar_no,
         coalesce(x.held_due_at, x.due_at))
       where x.tenant_id = $1 and x.id = $2`,
      [tenant, id],
    );
    await client.query("commit");
  } finally {
    await client.end();
  }
}

describe("the ledger", () => {
  /** The example of the guide on the SLA monitor, with its calculation. */
  it("explains every minute of both clocks, by hand calculation", async () => {
    const { create, change, call, tenant, ledger, calendar } = await tenantWithCalendar();
    const { id } = await create({ severity: "high" });
    await change(id, { status: "resolved", resolution: "Found." });
    // From its second version on, Mondays end at 15:00.
    await call("PUT", `/v1/calendars/${calendar.id}`, {
      ...OFFICE,
      weekly: [{ ...WEEK[0], to: "15:00" }, ...WEEK.slice(1)],
    });
    // As if: created on a Thursday at 16:00 in Berlin, paused Friday 10:00, resumed Monday 11:00,
    // the calendar changed at 12:00 and the deadline at 14:00, an hour left on Tuesday at 12:00,
    // resolved at 12:30.
    await sql("delete from public.exception_ledger where tenant_id = $1", [tenant]);
    await sql(
      `insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at,
         threshold_minutes, calendar_no)
       select $1, $2, x.at::timestamptz, x.kind, x.due_at::timestamptz, x.threshold,
         (select v.calendar_no from public.calendar_versions v where v.tenant_id = $1
           and v.version = x.version)
       from (values
         (1, 'set', '2026-11-05T15:00:00Z', '2026-11-06T15:00:00Z', null, 1),
         (2, 'paused', '2026-11-06T09:00:00Z', '2026-11-06T15:00:00Z', null, 1),
         (3, 'resumed', '2026-11-09T10:00:00Z', '2026-11-09T16:00:00Z', null, 1),
         (4, 'recalculated', '2026-11-09T11:00:00Z', '2026-11-10T10:00:00Z', null, 2),
         (5, 'moved', '2026-11-09T13:00:00Z', '2026-11-10T12:00:00Z', null, 2),
         (6, 'crossed', '2026-11-10T11:00:00Z', '2026-11-10T12:00:00Z', 60, 2),
         (7, 'resolved', '2026-11-10T11:30:00Z', '2026-11-10T12:00:00Z', null, 2)
       ) x (n, kind, at, due_at, threshold, version) order by x.n`,
      [tenant, id],
    );
    const rows = await ledger(id);
    expectToAddUp(rows);
    const hours = (row: Row) => [
      ...[
        row.elapsed_seconds,
        row.worked_seconds,
        row.closed_seconds,
        row.paused_seconds,
        row.moved_seconds,
        row.remaining_seconds,
      ],
      ...[row.business_moved_seconds, row.business_remaining_seconds],
    ];
    expect(rows.map((row) => hours(row).map((seconds) => ms(seconds) / 3_600_000))).toEqual([
      // elapsed, worked, closed, paused, moved, left; business moved, business left
      [0, 0, 0, 0, 0, 24, 0, 8],
      [18, 2, 16, 0, 0, 6, 0, 6],
      [73, 0, 0, 73, 73, 6, 0, 6],
      [1, 1, 0, 0, 18, 23, 0, 5],
      [2, 2, 0, 0, 2, 23, 2, 5],
      [22, 4, 18, 0, 0, 1, 0, 1],
      [0.5, 0.5, 0, 0, 0, 0.5, 0, 0.5],
    ]);
    const { segments } = (await call("GET", `/v1/exceptions/${id}/ledger`)).json as {
      segments: Segment[];
    };
    expect(segments).toEqual([
      {
        starts_at: "2026-11-05T15:00:00.000Z",
        ends_at: "2026-11-05T16:00:00.000Z",
        kind: "worked",
      },
      {
        starts_at: "2026-11-05T16:00:00.000Z",
        ends_at: "2026-11-06T08:00:00.000Z",
        kind: "closed",
      },
      {
        starts_at: "2026-11-06T08:00:00.000Z",
        ends_at: "2026-11-06T09:00:00.000Z",
        kind: "worked",
      },
      {
        starts_at: "2026-11-06T09:00:00.000Z",
        ends_at: "2026-11-09T10:00:00.000Z",
        kind: "paused",
      },
      {
        starts_at: "2026-11-09T10:00:00.000Z",
        ends_at: "2026-11-09T14:00:00.000Z",
        kind: "worked",
      },
      {
        starts_at: "2026-11-09T14:00:00.000Z",
        ends_at: "2026-11-10T08:00:00.000Z",
        kind: "closed",
      },
      {
        starts_at: "2026-11-10T08:00:00.000Z",
        ends_at: "2026-11-10T11:30:00.000Z",
        kind: "worked",
      },
    ]);
  });

  it("equals the manual calculation for an exception with every kind of change", async () => {
    const now = new Date(Math.floor(Date.now() / 60_000) * 60_000);
    const clock = (hours: number) =>
      new Date(now.getTime() + hours * 3_600_000).toISOString().slice(11, 16);
    /** Business hours of this length that begin every day two hours before now, in UTC. */
    const daily = (hours: number) => ({
      name: "Daily",
      time_zone: "UTC",
      weekly: ALWAYS.map(({ day }) => ({ day, from: clock(-2), to: clock(hours - 2) })),
    });
    const { create, change, call, policy, ledger, calendar, tenant, crossings } =
      await tenantWithCalendar(daily(8));
    await policy({
      minutes_to_resolve: { ...POLICY.minutes_to_resolve, high: 1200 },
      at_risk_thresholds: [240],
    });
    const { id } = await create({ severity: "high" });
    const action = async (path: string, body?: object) => {
      const answer = await call("POST", `/v1/exceptions/${id}/${path}`, body);
      if (answer.status !== 200) throw new Error(answer.text);
    };
    const pass = (days: number) => backdate(tenant, id, days);

    await pass(1);
    await action("pause", { reason: "Waiting for the bank" });
    await pass(1);
    await action("resume");
    await call("PUT", `/v1/calendars/${calendar.id}`, { ...daily(6), apply_to: "open" });
    await pass(1);
    const { due_at } = (await call("GET", `/v1/exceptions/${id}`)).json as Exception;
    await change(id, { due_at: new Date(Date.parse(due_at) - 23 * 3_600_000).toISOString() });
    await action("pause", { reason: "Until tomorrow", until: await dueIn(20 * 60) });
    await pass(2);
    await until("the pause has ended and the deadline passed", async () => {
      await sql("select private.tick_sla_clock()");
      return (await crossings()).includes(0);
    });
    await change(id, { status: "resolved", resolution: "Found." });

    const rows = await ledger(id);
    expectToAddUp(rows);
    const hours = (seconds: number | null) => Math.round((seconds ?? Number.NaN) / 360) / 10 + 0;
    const lines = rows.map((row) => [
      row.kind,
      ...[row.elapsed_seconds, row.worked_seconds, row.closed_seconds, row.paused_seconds].map(
        hours,
      ),
      ...[
        row.moved_seconds,
        row.remaining_seconds,
        row.business_moved_seconds,
        row.business_remaining_seconds,
      ].map(hours),
    ]);
    // Open for eight hours a day, and for six from the fourth row on. Each action is two hours
    // after opening, and a day has 24 hours.
    expect(lines).toEqual([
      // kind, elapsed = worked + closed + paused, moved, left; business moved, business left 20
      // hours to work: 6 today, 8 tomorrow, 6 on the third day, whose sixth open hour is 52 hours
      // ahead.
      ["set", 0, 0, 0, 0, 0, 52, 0, 20],
      // Worked 6 + 2 hours of the day: 20 − 8 = 12; by the wall clock 52 − 24 = 28.
      ["paused", 24, 8, 16, 0, 0, 28, 0, 12],
      // Paused for 6 + 2 open hours: the deadline moves by as many into the next day, 24 hours
      // later. The remaining time stays.
      ["resumed", 24, 0, 0, 24, 24, 28, 0, 12],
      // By six hours a day only 4 + 2 were worked before the pause: 20 − 6 = 14 are left, 4 + 6 +
      // 4: two days and 2 hours ahead, 50, so 22 later.
      ["recalculated", 0, 0, 0, 0, 22, 50, 2, 14],
      // Worked 4 + 2: 14 − 6 = 8. Then 23 hours nearer: 50 − 24 − 23 = 3, all open, so 5 business
      // hours nearer.
      ["moved", 24, 6, 18, 0, -23, 3, -5, 3],
      // Fewer than four hours left by the wall clock, so the warning is sent at once.
      ["crossed", 0, 0, 0, 0, 0, 3, 0, 3],
      ["paused", 0, 0, 0, 0, 0, 3, 0, 3],
      // Resumed automatically after 20 hours, of which 4 were open: 3 before the deadline of that
      // day, whose last open hour and 3 of the next make up for them. That is 22 hours later:
      // 3 − 20 + 22 = 5.
      ["resumed", 20, 0, 0, 20, 22, 5, 0, 3],
      // 28 hours later, with 6 + 2 open: 5 − 28 = −23, and 3 − 8 = −5. The warning isn't repeated.
      ["crossed", 28, 8, 20, 0, 0, -23, 0, -5],
      ["resolved", 0, 0, 0, 0, 0, -23, 0, -5],
    ]);
    const { segments } = (await call("GET", `/v1/exceptions/${id}/ledger`)).json as {
      segments: Segment[];
    };
    const total = (kind: Segment["kind"]) =>
      hours(
        segments
          .filter((segment) => segment.kind === kind)
          .reduce(
            (sum, { starts_at, ends_at }) => sum + Date.parse(ends_at) - Date.parse(starts_at),
            0,
          ) / 1000,
      );
    // Five days: 8 + 6 + 8 worked, 16 + 18 + 20 closed, 24 + 20 paused.
    expect([total("worked"), total("closed"), total("paused")]).toEqual([22, 54, 44]);
  });

  it("adds up after any sequence of changes", async () => {
    const { create, change, call, calendar, policy, ledger } = await tenantWithCalendar();
    const { id } = await create({ severity: "medium" });
    const action = async (path: string, body?: object) => {
      const answer = await call("POST", `/v1/exceptions/${id}/${path}`, body);
      if (answer.status !== 200) throw new Error(answer.text);
    };
    await action("pause", { reason: "Waiting" });
    await action("resume");
    await policy({ minutes_to_resolve: { ...POLICY.minutes_to_resolve, medium: 2000 } });
    await action("pause", { reason: "Again" });
    await call("PUT", `/v1/calendars/${calendar.id}`, {
      ...OFFICE,
      weekly: WEEK.slice(0, 3),
      apply_to: "open",
    });
    await action("resume");
    const [monday] = await sql<{ at: Date }>(
      "select date_trunc('week', now(), 'UTC') + interval '6 weeks 10 hours' as at",
    );
    await change(id, { due_at: monday?.at });
    await action("pause", { reason: "A third time" });
    await change(id, { status: "dismissed", resolution: "Noise." });
    await change(id, { status: "open" });
    const rows = await ledger(id);
    expect(rows.map(({ kind }) => kind)).toEqual([
      ..."set paused resumed moved paused recalculated resumed moved paused resumed dismissed reopened".split(
        " ",
      ),
    ]);
    expectToAddUp(rows);
    const { segments, as_of } = (await call("GET", `/v1/exceptions/${id}/ledger`)).json as {
      segments: Segment[];
      as_of: string;
    };
    const until = (kind: Segment["kind"], end: string) =>
      segments
        .filter((segment) => segment.kind === kind && segment.ends_at <= end)
        .reduce(
          (sum, { starts_at, ends_at }) => sum + Date.parse(ends_at) - Date.parse(starts_at),
          0,
        );
    const [first, last] = [rows[0], rows.at(-1)] as [Row & { at: string }, Row & { at: string }];
    for (const [index, { starts_at }] of segments.entries())
      expect(starts_at).toBe(segments[index - 1]?.ends_at ?? first.at);
    expect(until("paused", as_of)).toBe(rows.reduce((sum, row) => sum + ms(row.paused_seconds), 0));
    const total = (Date.parse(as_of) - Date.parse(first.at)) as number;
    expect(until("worked", as_of) + until("closed", as_of) + until("paused", as_of)).toBe(total);
    expect(Date.parse(as_of)).toBeGreaterThanOrEqual(Date.parse(last.at));
  });
});
