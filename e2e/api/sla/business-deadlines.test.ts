import { describe, expect, it } from "vitest";
import { editing } from "#e2e/exception-statements.ts";
import { sql, writtenByHand } from "#e2e/fixtures.ts";
import type { Calendar } from "#lib/calendars/contract.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import {
  ALWAYS,
  expectToAddUp,
  mondayBeforeSummerTime,
  OFFICE,
  POLICY,
  tenantWithCalendar,
  WEEK,
  weekInBerlin,
} from "./calendars.ts";
import { slaEvents } from "./exceptions.ts";

describe("a deadline in business time", () => {
  it("set on Friday evening falls on Monday, and on a holiday's eve after the holiday", async () => {
    const [week, beforeSummer] = [
      await weekInBerlin(),
      await weekInBerlin(mondayBeforeSummerTime()),
    ];
    const holiday = (await week("11 days 12 hours")).slice(0, 10);
    const { deadlineFrom } = await tenantWithCalendar({
      special_days: [{ date: holiday, name: "Holiday" }],
    });
    // Friday 18:00 in Berlin, eight hours: Monday 17:00.
    expect(await deadlineFrom(await week("4 days 18 hours"), 480)).toBe(
      await week("7 days 17 hours"),
    );
    // Friday 16:00, two hours: Monday 10:00.
    expect(await deadlineFrom(await week("4 days 16 hours"), 120)).toBe(
      await week("7 days 10 hours"),
    );
    // Thursday 16:00 of the next week, two hours: its Friday is closed, so Monday 10:00.
    expect(await deadlineFrom(await week("10 days 16 hours"), 120)).toBe(
      await week("14 days 10 hours"),
    );
    // Across the change to summer time, on Sunday: Friday 16:00 in winter, Monday 10:00 in summer.
    const [friday, monday] = [
      await beforeSummer("4 days 16 hours"),
      await beforeSummer("7 days 10 hours"),
    ];
    expect([friday.slice(11, 16), monday.slice(11, 16)]).toEqual(["15:00", "08:00"]);
    expect(await deadlineFrom(friday, 120)).toBe(monday);
  });

  it("counts the policy's minutes by its calendar, and reports the minutes left", async () => {
    const { create, calendar, deadlineFrom } = await tenantWithCalendar();
    const created = await create({ severity: "high" });
    expect(created.due_at).toBe(await deadlineFrom(created.created_at, 480));
    expect(created).toMatchObject({ calendar_id: calendar.id, business_minutes_remaining: 480 });
    expect(created.minutes_to_breach).toBeGreaterThanOrEqual(480);
  });

  it("warns by wall-clock minutes, even at night or on a day off", async () => {
    const { create, tenant } = await tenantWithCalendar();
    const { due_at } = await create({ severity: "low" });
    const [clock] = await sql<{ next_at: Date }>(
      "select next_at from private.exception_clocks where tenant_id = $1",
      [tenant],
    );
    expect(Date.parse(due_at) - Number(clock?.next_at)).toBe(240 * 60_000);
  });

  it("follows the calendar that the policy names for the severity, or none", async () => {
    const { create, policy, calendar } = await tenantWithCalendar();
    await policy({ calendar_by_severity: { critical: null } });
    expect(await create({ severity: "critical" })).toMatchObject({
      calendar_id: null,
      business_minutes_remaining: null,
      minutes_to_breach: 240,
    });
    expect(await create({ severity: "low" })).toMatchObject({ calendar_id: calendar.id });
  });

  it("equals the wall clock for a calendar that is always open", async () => {
    const { create } = await tenantWithCalendar({ weekly: ALWAYS });
    const created = await create({ severity: "high" });
    expect(Date.parse(created.due_at) - Date.parse(created.created_at)).toBe(480 * 60_000);
    expect(created).toMatchObject({ minutes_to_breach: 480, business_minutes_remaining: 480 });
  });

  it("is refused for a calendar that opens too rarely or doesn't exist", async () => {
    const { call } = await tenantWithCalendar();
    const rare = (
      await call("POST", "/v1/calendars", {
        ...OFFICE,
        weekly: [{ day: "monday", from: "09:00", to: "09:01" }],
      })
    ).json as Calendar;
    expect(
      (await call("PUT", "/v1/sla-policy", { ...POLICY, calendar_id: rare.id })).json,
    ).toMatchObject({
      status: 400,
      errors: [{ path: "minutes_to_resolve.medium" }],
    });
    const { calendar: foreign } = await tenantWithCalendar();
    expect(
      (await call("PUT", "/v1/sla-policy", { ...POLICY, calendar_id: foreign.id })).json,
    ).toMatchObject({
      errors: [{ path: "calendar_id" }],
    });
  });

  it("follows the policy to a calendar and back, and the preview shows what moves", async () => {
    const { create, policy, calendar, call } = await tenantWithCalendar();
    await policy({ calendar_id: null });
    const created = await create({ severity: "low" });
    expect(Date.parse(created.due_at) - Date.parse(created.created_at)).toBe(4320 * 60_000);
    expect(await policy({ calendar_id: calendar.id, dry_run: true })).toMatchObject({
      impact: { changed: 1, later: 1, earlier: 0 },
    });
    await policy({ calendar_id: calendar.id });
    const moved = (await call("GET", `/v1/exceptions/${created.id}`)).json as Exception;
    expect(moved).toMatchObject({ calendar_id: calendar.id });
    await policy({ calendar_id: null });
    expect(((await call("GET", `/v1/exceptions/${created.id}`)).json as Exception).due_at).toBe(
      created.due_at,
    );
  });
});

describe("a pause by a calendar", () => {
  it("across a clock change moves the deadline by the open time", async () => {
    const week = await weekInBerlin(mondayBeforeSummerTime());
    const { create, call } = await tenantWithCalendar();
    const { id } = await create({ severity: "high" });
    await call("POST", `/v1/exceptions/${id}/pause`, { reason: "Waiting" });
    // Friday at 16:30 in Berlin, two days before summer time.
    const friday = await week("4 days 16 hours 30 minutes");
    const deadline = async (pausedAt: string, resumedAt: string, dueAt = friday) => {
      await writtenByHand(
        `update public.exceptions set paused_at = $2, held_due_at = $3,
           due_open_ms = private.open_ms(tenant_id, calendar_no, $3::timestamptz)
         where id = $1`,
        [id, pausedAt, dueAt],
      );
      const [row] = await sql<{ json: Exception }>(
        "select private.exception_json(e, $2) as json from public.exceptions e where id = $1",
        [id, resumedAt],
      );
      return [row?.json.due_at, row?.json.business_minutes_remaining];
    };
    // From Friday 15:00 to Monday 10:00, three hours open: an hour and a half is left, until Monday
    // 11:30 in summer time.
    const monday = await week("7 days 10 hours");
    expect(await deadline(await week("4 days 15 hours"), monday)).toEqual([
      await week("7 days 11 hours 30 minutes"),
      90,
    ]);
    expect(await deadline(await week("3 days 18 hours"), await week("4 days 8 hours"))).toEqual([
      friday,
      450,
    ]);
    // From Saturday to Sunday, due on Monday at 10:00: days off hold nothing.
    expect(
      await deadline(await week("5 days 11 hours"), await week("6 days 22 hours"), monday),
    ).toEqual([monday, 60]);
  });
});

describe("a changed calendar", () => {
  const closedForAWeek = { ...OFFICE, weekly: ALWAYS, special_days: [] as object[] };

  it("changes new deadlines, open ones only on request, and nothing in a preview", async () => {
    const { create, call, calendar, ledger } = await tenantWithCalendar({ weekly: ALWAYS });
    const { id, due_at } = await create({ severity: "high" });
    const day = (ahead: number) =>
      new Date(Date.parse(due_at) + ahead * 86_400_000).toISOString().slice(0, 10);
    const changed = {
      ...closedForAWeek,
      special_days: [-1, 0, 1].map((n) => ({ date: day(n), name: "Closed" })),
    };
    const put = (change: object) =>
      call("PUT", `/v1/calendars/${calendar.id}`, { ...changed, ...change });
    const current = async () =>
      ((await call("GET", `/v1/exceptions/${id}`)).json as Exception).due_at;
    expect((await put({ apply_to: "open", dry_run: true })).json).toMatchObject({
      dry_run: true,
      impact: { changed: 1, later: 1, newly_breached: 0 },
    });
    expect(await current()).toBe(due_at);
    expect((await call("GET", `/v1/calendars/${calendar.id}`)).json).toMatchObject({
      calendar_version: 1,
    });
    expect((await put({})).json).toMatchObject({ calendar_version: 2, impact: { changed: 0 } });
    expect(await current()).toBe(due_at);
    expect((await put({ apply_to: "open" })).json).toMatchObject({
      calendar_version: 2,
      impact: { changed: 1 },
    });
    expect(Date.parse(await current())).toBeGreaterThan(Date.parse(due_at));
    const rows = await ledger(id);
    expect(rows.map(({ kind }) => kind)).toContain("recalculated");
    expectToAddUp(rows);
  });

  it("keeps events sent under the old one, and the ledger has the correction", async () => {
    const { create, call, calendar, policy, crossings, tenant, ledger } = await tenantWithCalendar({
      weekly: ALWAYS,
    });
    await policy({
      minutes_to_resolve: { ...POLICY.minutes_to_resolve, high: 60 },
      at_risk_thresholds: [240],
    });
    const { id, due_at } = await create({ severity: "high" });
    expect(await crossings()).toEqual([240]);
    const day = (ahead: number) =>
      new Date(Date.parse(due_at) + ahead * 86_400_000).toISOString().slice(0, 10);
    const closed = [-1, 0, 1].map((n) => ({ date: day(n), name: "Closed" }));
    await call("PUT", `/v1/calendars/${calendar.id}`, {
      ...closedForAWeek,
      special_days: closed,
      apply_to: "open",
    });
    await sql("select private.tick_sla_clock()");
    expect((await slaEvents(tenant)).map(({ data }) => data.due_at)).toEqual([due_at]);
    const rows = await ledger(id);
    expect(rows.map(({ kind }) => kind)).toEqual(["set", "crossed", "recalculated"]);
    expectToAddUp(rows);
    expect((await call("GET", `/v1/exceptions/${id}`)).json).toMatchObject({ breach_risk: "low" });
  });

  it("shows which deadlines it would breach", async () => {
    const { create, call, calendar, tenant } = await tenantWithCalendar({ weekly: WEEK });
    await create({ severity: "high" });
    await writtenByHand(
      `update public.exceptions set created_at = created_at - interval '5 days'
       where tenant_id = $1`,
      [tenant],
    );
    await sql(editing(`'due_at', now() + interval '2 days'`, `tenant_id = $1`, "recalculate"), [
      tenant,
    ]);
    const preview = await call("PUT", `/v1/calendars/${calendar.id}`, {
      ...OFFICE,
      weekly: ALWAYS,
      apply_to: "open",
      dry_run: true,
    });
    expect(preview.json).toMatchObject({ impact: { changed: 1, earlier: 1, newly_breached: 1 } });
  });
});
