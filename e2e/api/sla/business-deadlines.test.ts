import { describe, expect, it } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import type { Calendar } from "#lib/calendars/contract.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { tenantWithLead } from "./exceptions.ts";

const POLICY = { minutes_to_resolve: { critical: 240, high: 480, medium: 1440, low: 4320 }, at_risk_thresholds: [240, 60] };
const WEEK = ["monday", "tuesday", "wednesday", "thursday", "friday"].map((day) => ({ day, from: "09:00", to: "17:00" }));
const OFFICE = { name: "Office", time_zone: "Europe/Berlin", weekly: WEEK };
const ALWAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map((day) => ({
  day,
  from: "00:00",
  to: "24:00",
}));

async function tenantWithCalendar(hours: object = OFFICE) {
  const made = await tenantWithLead();
  const calendar = (await made.call("POST", "/v1/calendars", { ...OFFICE, ...hours })).json as Calendar;
  const policy = async (change: object) => {
    const answer = await made.call("PUT", "/v1/sla-policy", { ...POLICY, ...change });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json as { impact: Record<string, number> };
  };
  await policy({ calendar_id: calendar.id });
  /** Its deadline by the policy, were it created then. */
  const deadlineFrom = async (created: string, minutes: number): Promise<string | undefined> => {
    const [row] = await sql<{ at: Date }>(
      `select private.moment_at(v.tenant_id, v.calendar_no, private.open_ms(v.tenant_id, v.calendar_no, $2) + $3::bigint * 60000) as at
       from public.calendar_versions v where v.tenant_id = $1 order by v.calendar_no desc limit 1`,
      [made.tenant, created, minutes],
    );
    return row?.at.toISOString();
  };
  const ledger = async (id: string) => ((await made.call("GET", `/v1/exceptions/${id}/ledger`)).json as { rows: Row[] }).rows;
  return { ...made, calendar, policy, deadlineFrom, ledger };
}

type Row = {
  kind: string;
  elapsed_seconds: number;
  worked_seconds: number;
  closed_seconds: number;
  paused_seconds: number;
  moved_seconds: number;
  remaining_seconds: number;
  business_moved_seconds: number | null;
  business_remaining_seconds: number | null;
};

/** To the millisecond. */
const ms = (seconds: number | null) => Math.round((seconds ?? Number.NaN) * 1000);

function expectToAddUp(rows: Row[]): void {
  for (const [index, row] of rows.entries()) {
    expect(ms(row.worked_seconds) + ms(row.closed_seconds) + ms(row.paused_seconds)).toBe(ms(row.elapsed_seconds));
    const before = rows[index - 1];
    if (!before) continue;
    expect(ms(row.remaining_seconds)).toBe(ms(before.remaining_seconds) - ms(row.elapsed_seconds) + ms(row.moved_seconds));
    expect(ms(row.business_remaining_seconds)).toBe(
      ms(before.business_remaining_seconds) - ms(row.worked_seconds) + ms(row.business_moved_seconds),
    );
  }
}

describe("a deadline in business time", () => {
  it("given on Friday evening is due on Monday, on a holiday's eve after the holiday", async () => {
    const { deadlineFrom } = await tenantWithCalendar({ special_days: [{ date: "2026-12-25", name: "Christmas Day" }] });
    // Friday 18:00 in Berlin, eight hours: Monday 17:00.
    expect(await deadlineFrom("2026-11-20T17:00:00Z", 480)).toBe("2026-11-23T16:00:00.000Z");
    // Friday 16:00, two hours: Monday 10:00.
    expect(await deadlineFrom("2026-11-20T15:00:00Z", 120)).toBe("2026-11-23T09:00:00.000Z");
    // Thursday 24 December 16:00, two hours: the 25th is closed, so Monday 28th 10:00.
    expect(await deadlineFrom("2026-12-24T15:00:00Z", 120)).toBe("2026-12-28T09:00:00.000Z");
    // Across the change to summer time, on Sunday: Friday 16:00 in winter, Monday 10:00 in summer.
    expect(await deadlineFrom("2027-03-26T15:00:00Z", 120)).toBe("2027-03-29T08:00:00.000Z");
  });

  it("is what the policy's calendar makes of its minutes, and says how many are left", async () => {
    const { create, calendar, deadlineFrom } = await tenantWithCalendar();
    const made = await create({ severity: "high" });
    expect(made.due_at).toBe(await deadlineFrom(made.created_at, 480));
    expect(made).toMatchObject({ calendar_id: calendar.id, business_minutes_remaining: 480 });
    expect(made.minutes_to_breach).toBeGreaterThanOrEqual(480);
  });

  it("is by another calendar, or none, where the policy names one for the severity", async () => {
    const { create, policy, calendar } = await tenantWithCalendar();
    await policy({ calendar_by_severity: { critical: null } });
    expect(await create({ severity: "critical" })).toMatchObject({
      calendar_id: null,
      business_minutes_remaining: null,
      minutes_to_breach: 240,
    });
    expect(await create({ severity: "low" })).toMatchObject({ calendar_id: calendar.id });
  });

  it("of a calendar that is always open is the one round the clock", async () => {
    const { create } = await tenantWithCalendar({ weekly: ALWAYS });
    const made = await create({ severity: "high" });
    expect(Date.parse(made.due_at) - Date.parse(made.created_at)).toBe(480 * 60_000);
    expect(made).toMatchObject({ minutes_to_breach: 480, business_minutes_remaining: 480 });
  });

  it("is refused where the calendar opens too rarely for it, and where there is no such calendar", async () => {
    const { call } = await tenantWithCalendar();
    const rare = (await call("POST", "/v1/calendars", { ...OFFICE, weekly: [{ day: "monday", from: "09:00", to: "09:01" }] }))
      .json as Calendar;
    expect((await call("PUT", "/v1/sla-policy", { ...POLICY, calendar_id: rare.id })).json).toMatchObject({
      status: 400,
      errors: [{ path: "minutes_to_resolve.medium" }],
    });
    const { calendar: foreign } = await tenantWithCalendar();
    expect((await call("PUT", "/v1/sla-policy", { ...POLICY, calendar_id: foreign.id })).json).toMatchObject({
      errors: [{ path: "calendar_id" }],
    });
  });

  it("follows the policy to a calendar and back, and the preview says what moves", async () => {
    const { create, policy, calendar, call } = await tenantWithCalendar();
    await policy({ calendar_id: null });
    const made = await create({ severity: "low" });
    expect(Date.parse(made.due_at) - Date.parse(made.created_at)).toBe(4320 * 60_000);
    expect(await policy({ calendar_id: calendar.id, dry_run: true })).toMatchObject({ impact: { changed: 1, later: 1, earlier: 0 } });
    await policy({ calendar_id: calendar.id });
    const moved = (await call("GET", `/v1/exceptions/${made.id}`)).json as Exception;
    expect(moved).toMatchObject({ calendar_id: calendar.id });
    await policy({ calendar_id: null });
    expect(((await call("GET", `/v1/exceptions/${made.id}`)).json as Exception).due_at).toBe(made.due_at);
  });
});

describe("a pause by a calendar", () => {
  it("across a change of the clocks moves the deadline as far as the calendar was open, and a pause while closed not at all", async () => {
    const { create, call } = await tenantWithCalendar();
    const { id } = await create({ severity: "high" });
    await call("POST", `/v1/exceptions/${id}/pause`, { reason: "Waiting" });
    const deadline = async (pausedAt: string, resumedAt: string) => {
      // Due on Friday at 16:30 in Berlin, two days before summer time.
      await sql("update public.exceptions set paused_at = $2, held_due_at = '2027-03-26T15:30:00Z' where id = $1", [id, pausedAt]);
      const [row] = await sql<{ json: Exception }>("select private.exception_json(e, $2) as json from public.exceptions e where id = $1", [
        id,
        resumedAt,
      ]);
      return [row?.json.due_at, row?.json.business_minutes_remaining];
    };
    // From Friday 15:00 to Monday 10:00, three hours open: an hour and a half is left, until Monday 11:30 in summer time.
    expect(await deadline("2027-03-26T14:00:00Z", "2027-03-29T08:00:00Z")).toEqual(["2027-03-29T09:30:00.000Z", 90]);
    expect(await deadline("2027-03-25T17:00:00Z", "2027-03-26T07:00:00Z")).toEqual(["2027-03-26T15:30:00.000Z", 450]);
  });
});

describe("a changed calendar", () => {
  const closedForAWeek = { ...OFFICE, weekly: ALWAYS, special_days: [] as object[] };

  it("moves new deadlines, open ones only where it is told to, and the preview changes nothing", async () => {
    const { create, call, calendar, ledger } = await tenantWithCalendar({ weekly: ALWAYS });
    const { id, due_at } = await create({ severity: "high" });
    const day = (ahead: number) => new Date(Date.parse(due_at) + ahead * 86_400_000).toISOString().slice(0, 10);
    const changed = { ...closedForAWeek, special_days: [-1, 0, 1].map((n) => ({ date: day(n), name: "Closed" })) };
    const put = (change: object) => call("PUT", `/v1/calendars/${calendar.id}`, { ...changed, ...change });
    const current = async () => ((await call("GET", `/v1/exceptions/${id}`)).json as Exception).due_at;
    expect((await put({ apply_to: "open", dry_run: true })).json).toMatchObject({
      dry_run: true,
      impact: { changed: 1, later: 1, newly_breached: 0 },
    });
    expect(await current()).toBe(due_at);
    expect((await call("GET", `/v1/calendars/${calendar.id}`)).json).toMatchObject({ calendar_version: 1 });
    expect((await put({})).json).toMatchObject({ calendar_version: 2, impact: { changed: 0 } });
    expect(await current()).toBe(due_at);
    expect((await put({ apply_to: "open" })).json).toMatchObject({ calendar_version: 2, impact: { changed: 1 } });
    expect(Date.parse(await current())).toBeGreaterThan(Date.parse(due_at));
    const rows = await ledger(id);
    expect(rows.map(({ kind }) => kind)).toContain("recalculated");
    expectToAddUp(rows);
  });

  it("shows which deadlines it would breach", async () => {
    const { create, call, calendar, tenant } = await tenantWithCalendar({ weekly: WEEK });
    await create({ severity: "high" });
    await sql("update public.exceptions set created_at = created_at - interval '5 days' where tenant_id = $1", [tenant]);
    await sql("update public.exceptions set due_at = now() + interval '2 days' where tenant_id = $1", [tenant]);
    const preview = await call("PUT", `/v1/calendars/${calendar.id}`, { ...OFFICE, weekly: ALWAYS, apply_to: "open", dry_run: true });
    expect(preview.json).toMatchObject({ impact: { changed: 1, earlier: 1, newly_breached: 1 } });
  });
});

describe("the ledger", () => {
  it("explains every minute of both clocks, by hand calculation", async () => {
    const { create, call, tenant, ledger } = await tenantWithCalendar();
    const { id } = await create({ severity: "high" });
    // As if: created Thursday 2026-11-05 16:00 in Berlin, paused Friday 10:00, resumed Monday 11:00.
    await sql("delete from public.exception_ledger where tenant_id = $1", [tenant]);
    await sql(
      `insert into public.exception_ledger (tenant_id, exception_id, at, kind, due_at, calendar_no)
       select $1, $2, x.at::timestamptz, x.kind, x.due_at::timestamptz, (select max(calendar_no) from public.calendar_versions where tenant_id = $1)
       from (values
         (1, 'set', '2026-11-05T15:00:00Z', '2026-11-06T15:00:00Z'),
         (2, 'paused', '2026-11-06T09:00:00Z', '2026-11-06T15:00:00Z'),
         (3, 'resumed', '2026-11-09T10:00:00Z', '2026-11-09T16:00:00Z'),
         (4, 'crossed', '2026-11-09T16:00:00Z', '2026-11-09T16:00:00Z')
       ) x (n, kind, at, due_at) order by x.n`,
      [tenant, id],
    );
    const hour = 3600;
    const rows = await ledger(id);
    expectToAddUp(rows);
    // Thursday 16:00 to Friday 10:00: an hour and an hour worked, 16 closed. The pause: 73 hours. Then 6 hours to the deadline, all worked.
    expect(rows).toMatchObject([
      { elapsed_seconds: 0, business_remaining_seconds: 8 * hour, remaining_seconds: 24 * hour },
      {
        elapsed_seconds: 18 * hour,
        worked_seconds: 2 * hour,
        closed_seconds: 16 * hour,
        paused_seconds: 0,
        business_remaining_seconds: 6 * hour,
      },
      { elapsed_seconds: 73 * hour, worked_seconds: 0, closed_seconds: 0, paused_seconds: 73 * hour, moved_seconds: 73 * hour },
      { elapsed_seconds: 6 * hour, worked_seconds: 6 * hour, closed_seconds: 0, business_remaining_seconds: 0 },
    ]);
    expect(rows[2]).toMatchObject({ business_moved_seconds: 0, business_remaining_seconds: 6 * hour });
    expect((await call("GET", `/v1/exceptions/${id}/ledger`)).status).toBe(200);
  });

  it("adds up whatever an exception goes through", async () => {
    const { create, change, call, calendar, policy, ledger } = await tenantWithCalendar();
    const { id } = await create({ severity: "medium" });
    const act = async (path: string, body?: object) => {
      const answer = await call("POST", `/v1/exceptions/${id}/${path}`, body);
      if (answer.status !== 200) throw new Error(answer.text);
    };
    await act("pause", { reason: "Waiting" });
    await act("resume");
    await policy({ minutes_to_resolve: { ...POLICY.minutes_to_resolve, medium: 2000 } });
    await act("pause", { reason: "Again" });
    await call("PUT", `/v1/calendars/${calendar.id}`, { ...OFFICE, weekly: WEEK.slice(0, 3), apply_to: "open" });
    await act("resume");
    await change(id, { due_at: "2027-01-04T10:00:00Z" });
    await act("pause", { reason: "A third time" });
    await change(id, { status: "dismissed", resolution: "Noise." });
    await change(id, { status: "open" });
    const rows = await ledger(id);
    expect(rows.map(({ kind }) => kind)).toEqual([
      ..."set paused resumed moved paused recalculated resumed moved paused resumed dismissed reopened".split(" "),
    ]);
    expectToAddUp(rows);
  });
});
