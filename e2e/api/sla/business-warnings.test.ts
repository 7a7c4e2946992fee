import { describe, expect, it } from "vitest";
import { sql, writtenByHand } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type { Calendar } from "#lib/calendars/contract.ts";
import type { Exception } from "#lib/exceptions/contract.ts";
import { weekInBerlin } from "./calendars.ts";
import { dueIn, dueSoon, slaEvents, tenantWithLead } from "./exceptions.ts";

const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const OFFICE = {
  name: "Office",
  time_zone: "Europe/Berlin",
  weekly: DAYS.slice(0, 5).map((day) => ({ day, from: "09:00", to: "17:00" })),
};
const ALWAYS = { ...OFFICE, weekly: DAYS.map((day) => ({ day, from: "00:00", to: "24:00" })) };
const POLICY = {
  minutes_to_resolve: { critical: 240, high: 480, medium: 1440, low: 4320 },
  at_risk_thresholds: [] as number[],
};

/** A tenant whose policy warns only in business minutes, unless the test changes that. */
async function tenantWithThresholds(thresholds: number[], hours: object | null) {
  const created = await tenantWithLead();
  const calendar = hours
    ? ((await created.call("POST", "/v1/calendars", hours)).json as Calendar).id
    : null;
  const policy = async (change: object) => {
    const answer = await created.call("PUT", "/v1/sla-policy", {
      ...POLICY,
      calendar_id: calendar,
      at_risk_business_thresholds: thresholds,
      ...change,
    });
    if (answer.status !== 200) throw new Error(answer.text);
  };
  await policy({});
  const action = async (id: string, path: string, body: object = {}) => {
    const answer = await created.call("POST", `/v1/exceptions/${id}/${path}`, body);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json as Exception;
  };
  return {
    ...created,
    calendar,
    policy,
    pause: (id: string) => action(id, "pause", { reason: "Waiting" }),
    resume: (id: string) => action(id, "resume"),
    /** Minutes and moment of each pending warning, the earliest first. Null while it is paused. */
    ahead: async (id: string) =>
      (
        await sql<{ minutes: number; at: string | null }>(
          `select minutes, case when at < 'infinity' then private.iso(at) end as at
           from private.business_warnings
           where tenant_id = $1 and exception_id = $2 order by minutes desc`,
          [created.tenant, id],
        )
      ).map(({ minutes, at }) => [minutes, at]),
    reported: async () =>
      (await slaEvents(created.tenant)).map(({ type, data }) =>
        type === "exception.sla.breached"
          ? "breached"
          : `${data.threshold_kind} ${data.threshold_minutes}`,
      ),
  };
}

describe("a warning in business minutes", () => {
  it("is sent when that much open time is left, never while closed", async () => {
    const berlin = await weekInBerlin();
    const { create, ahead } = await tenantWithThresholds([60, 120, 600], OFFICE);
    // Due on Monday at 10:00, and open from 9:00. One hour is left from Friday's close on, two from
    // 16:00 on, ten from Thursday 16:00 on.
    const { id } = await create({ severity: "low", due_at: await berlin("10 hours") });
    // A deadline that a person sets uses the policy's calendar.
    expect(await ahead(id)).toEqual([
      [600, await berlin("-4 days 16 hours")],
      [120, await berlin("-3 days 16 hours")],
      [60, await berlin("-3 days 17 hours")],
    ]);
  });

  it("is sent that many minutes before, if the exception counts round the clock", async () => {
    const { create, ahead } = await tenantWithThresholds([60], null);
    const { id, due_at } = await create({ severity: "high" });
    expect(await ahead(id)).toEqual([[60, new Date(Date.parse(due_at) - 3_600_000).toISOString()]]);
  });

  it("is sent once, names its unit and the next one, and is in the ledger", async () => {
    const { tenant, create, call, reported } = await tenantWithThresholds([60, 30], ALWAYS);
    const { id } = await create({ due_at: await dueIn(300) });
    const due_at = await dueSoon(id, 60, 1);
    await until("a warning is reported", async () => (await reported()).length > 0);
    const [event] = await slaEvents(tenant);
    expect(event).toMatchObject({
      type: "exception.sla.at_risk",
      data: {
        due_at,
        threshold_minutes: 60,
        threshold_kind: "business",
        next_threshold_minutes: 30,
        exception: { business_minutes_remaining: 60 },
      },
    });
    const { rows } = (await call("GET", `/v1/exceptions/${id}/ledger`)).json as { rows: object[] };
    // The first two rows are setting and moving the deadline.
    expect(rows.slice(2)).toMatchObject([
      { kind: "crossed", threshold_minutes: 60, threshold_kind: "business", actor: "system" },
    ]);
    await sql("select private.tick_sla_clock()");
    expect(await reported()).toEqual(["business 60"]);
  });

  it("works together with wall-clock thresholds", async () => {
    const { create, policy, reported } = await tenantWithThresholds([90], ALWAYS);
    await policy({ at_risk_thresholds: [120] });
    await create({ due_at: await dueIn(60) });
    expect((await reported()).sort()).toEqual(["business 90", "wall_clock 120"]);
  });

  it("is only the nearest of several at creation, and none for a late exception", async () => {
    const { create, reported, ahead } = await tenantWithThresholds([240, 60, 30], ALWAYS);
    const { id } = await create({ due_at: await dueIn(50) });
    expect(await reported()).toEqual(["business 60"]);
    expect((await ahead(id)).map(([minutes]) => minutes)).toEqual([30]);
    await create({ due_at: await dueIn(-5) });
    expect(await reported()).toEqual(["business 60", "breached"]);
  });

  it("is rescheduled for a later deadline, and sent by the move that crosses it", async () => {
    const { create, change, reported, ahead } = await tenantWithThresholds([240, 60, 30], ALWAYS);
    const { id } = await create({ due_at: await dueIn(500) });
    await change(id, { due_at: await dueIn(50) });
    expect(await reported()).toEqual(["business 60"]);
    await change(id, { due_at: await dueIn(40) });
    expect(await reported()).toEqual(["business 60"]);
    await change(id, { due_at: await dueIn(500) });
    expect((await ahead(id)).map(([minutes]) => minutes)).toEqual([240, 60, 30]);
    await change(id, { due_at: await dueIn(20) });
    expect(await reported()).toEqual(["business 60", "business 30"]);
    await change(id, { status: "resolved", resolution: "Found." });
    expect(await ahead(id)).toEqual([]);
    await change(id, { status: "open" });
    expect(await ahead(id)).toEqual([]);
  });

  it("waits while the exception is paused, and isn't sent twice", async () => {
    const { create, pause, resume, reported, ahead, policy } = await tenantWithThresholds(
      [60, 30],
      ALWAYS,
    );
    const { id } = await create({ due_at: await dueIn(50) });
    await pause(id);
    expect(await ahead(id)).toEqual([[30, null]]);
    // A threshold that is added to the policy during the pause waits, too.
    await policy({ at_risk_business_thresholds: [60, 30, 20] });
    expect(await ahead(id)).toEqual([
      [30, null],
      [20, null],
    ]);
    // As if it had been paused two hours ago.
    await writtenByHand(
      `update public.exceptions set paused_at = paused_at - interval '2 hours',
         held_due_at = held_due_at - interval '2 hours',
         due_open_ms = due_open_ms - 7200000 where id = $1`,
      [id],
    );
    const { due_at } = await resume(id);
    expect(await ahead(id)).toEqual([
      [30, new Date(Date.parse(due_at) - 30 * 60_000).toISOString()],
      [20, new Date(Date.parse(due_at) - 20 * 60_000).toISOString()],
    ]);
    expect(await reported()).toEqual(["business 60"]);
  });

  it("follows the policy without reporting passed thresholds", async () => {
    const { create, policy, reported, ahead } = await tenantWithThresholds([60], ALWAYS);
    const { id } = await create({ due_at: await dueIn(100) });
    await policy({ at_risk_business_thresholds: [120, 30], dry_run: true });
    expect((await ahead(id)).map(([minutes]) => minutes)).toEqual([60]);
    await policy({ at_risk_business_thresholds: [120, 30] });
    expect((await ahead(id)).map(([minutes]) => minutes)).toEqual([30]);
    await policy({ at_risk_business_thresholds: [], at_risk_thresholds: [240] });
    expect(await ahead(id)).toEqual([]);
    expect(await reported()).toEqual([]);
  });

  it("moves with a changed calendar, even if the deadline stays", async () => {
    const berlin = await weekInBerlin();
    const { create, call, calendar, ahead } = await tenantWithThresholds([120], OFFICE);
    const { id } = await create({ severity: "low", due_at: await berlin("10 hours") });
    // On Fridays until noon: two hours are left from Friday 11:00 on.
    const weekly = OFFICE.weekly.map((item) =>
      item.day === "friday" ? { ...item, to: "12:00" } : item,
    );
    await call("PUT", `/v1/calendars/${calendar}`, { ...OFFICE, weekly, apply_to: "new" });
    expect(await ahead(id)).toEqual([[120, await berlin("-3 days 16 hours")]]);
    await call("PUT", `/v1/calendars/${calendar}`, {
      ...OFFICE,
      name: "Again",
      weekly,
      apply_to: "open",
    });
    expect(await ahead(id)).toEqual([[120, await berlin("-3 days 11 hours")]]);
  });

  it("needs at least one threshold of either kind", async () => {
    const { call } = await tenantWithThresholds([60], null);
    const refused = await call("PUT", "/v1/sla-policy", {
      ...POLICY,
      at_risk_business_thresholds: [],
    });
    expect(refused.json).toMatchObject({ status: 400, errors: [{ path: "at_risk_thresholds" }] });
    // A field that is left out keeps its value.
    expect((await call("PUT", "/v1/sla-policy", POLICY)).json).toMatchObject({
      at_risk_thresholds: [],
      at_risk_business_thresholds: [60],
    });
  });
});
