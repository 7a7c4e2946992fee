import { describe, expect, it } from "vitest";
import { api, createTenant, sql, userToken } from "#e2e/fixtures.ts";
import type { Calendar } from "#lib/calendars/contract.ts";

const WEEK = ["monday", "tuesday", "wednesday", "thursday", "friday"].map((day) => ({
  day,
  from: "09:00",
  to: "17:00",
}));
const OFFICE = { name: "Frankfurt office", time_zone: "Europe/Berlin", weekly: WEEK };

async function tenantWithAdmin() {
  const tenant = await createTenant();
  const bearer = await userToken(tenant, ["tenant_admin"]);
  const call = (
    method: string,
    path: string,
    body?: object,
    query?: Record<string, string>,
    headers?: Record<string, string>,
  ) => api(method, path, { bearer, tenant, body, query, headers });
  const create = async (body: object = OFFICE) => {
    const answer = await call("POST", "/v1/calendars", body);
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.json as Calendar;
  };
  return { tenant, call, create };
}

describe("a calendar", () => {
  it("keeps its hours, and a version of each change of them", async () => {
    const { tenant, call, create } = await tenantWithAdmin();
    const created = await create();
    expect(created).toMatchObject({ ...OFFICE, special_days: [], calendar_version: 1 });
    const closed = {
      ...OFFICE,
      special_days: [{ date: "2026-12-25", name: "Christmas Day", intervals: [] }],
    };
    const changed = await call("PUT", `/v1/calendars/${created.id}`, closed);
    expect(changed.json).toMatchObject({ ...closed, calendar_version: 2 });
    const renamed = await call("PUT", `/v1/calendars/${created.id}`, {
      ...closed,
      name: "Berlin office",
    });
    expect(renamed.json).toMatchObject({ name: "Berlin office", calendar_version: 2 });
    expect(
      await sql(
        `select version, jsonb_array_length(special_days) as days from public.calendar_versions
         where tenant_id = $1 order by version`,
        [tenant],
      ),
    ).toEqual([
      { version: 1, days: 0 },
      { version: 2, days: 1 },
    ]);
    expect(
      ((await call("GET", "/v1/calendars")).json as { items: Calendar[] }).items.map(
        ({ id }) => id,
      ),
    ).toEqual([created.id]);
  });

  it("lists its versions, newest first, each with the number of exceptions that use it", async () => {
    const { call, create } = await tenantWithAdmin();
    const { id } = await create();
    const policy = {
      minutes_to_resolve: { critical: 240, high: 480, medium: 1440, low: 4320 },
      at_risk_thresholds: [240],
      calendar_id: id,
    };
    expect((await call("PUT", "/v1/sla-policy", policy)).status).toBe(200);
    await call("POST", "/v1/exceptions", { title: "Counts by the first", severity: "high" });
    await call("PUT", `/v1/calendars/${id}`, {
      ...OFFICE,
      weekly: WEEK.slice(1),
      special_days: [{ date: "2030-12-25" }],
    });
    await call("PUT", `/v1/calendars/${id}`, { ...OFFICE, weekly: WEEK.slice(2) });
    const page = async (query: Record<string, string>) =>
      (await call("GET", `/v1/calendars/${id}/versions`, undefined, query)).json as {
        items: object[];
        next_cursor: string | null;
      };
    const first = await page({ limit: "2" });
    expect(first.items).toMatchObject([
      { calendar_version: 3, special_day_count: 0, open_exceptions: 0 },
      { calendar_version: 2, special_day_count: 1, open_exceptions: 0, weekly: WEEK.slice(1) },
    ]);
    const second = await page({ limit: "2", cursor: first.next_cursor ?? "" });
    expect(second).toMatchObject({
      items: [{ calendar_version: 1, open_exceptions: 1, time_zone: "Europe/Berlin" }],
      next_cursor: null,
    });
  });

  it("rejects an update based on an older version", async () => {
    const { call, create } = await tenantWithAdmin();
    const { id } = await create();
    const seen = (await call("GET", `/v1/calendars/${id}`)).headers.get("etag") ?? "";
    await call("PUT", `/v1/calendars/${id}`, { ...OFFICE, name: "Changed by another admin" });
    expect(
      (await call("PUT", `/v1/calendars/${id}`, OFFICE, undefined, { "If-Match": seen })).status,
    ).toBe(412);
  });

  it.each([
    ["never open", { weekly: [] }, "weekly"],
    [
      "open for no time",
      { weekly: [{ day: "monday", from: "09:00", to: "09:00" }] },
      "weekly.0.to",
    ],
    ["in an unknown time zone", { time_zone: "Mars/Olympus" }, "time_zone"],
    [
      "open until an invalid time",
      { weekly: [{ day: "monday", from: "09:00", to: "25:00" }] },
      "weekly.0.to",
    ],
    [
      "given the same special day twice",
      { special_days: [{ date: "2026-12-25" }, { date: "2026-12-25" }] },
      "special_days",
    ],
    [
      "given a day that doesn't exist",
      { special_days: [{ date: "2027-02-29" }] },
      "special_days.0.date",
    ],
  ])("is refused if it is %s", async (_, change, path) => {
    const { call } = await tenantWithAdmin();
    const answer = await call("POST", "/v1/calendars", { ...OFFICE, ...change });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ errors: [expect.objectContaining({ path })] });
  });

  it("can be changed only by admins", async () => {
    const { tenant, create } = await tenantWithAdmin();
    const { id } = await create();
    const lead = await userToken(tenant, ["tenant_lead"]);
    expect((await api("GET", `/v1/calendars/${id}`, { bearer: lead, tenant })).status).toBe(200);
    expect(
      (await api("PUT", `/v1/calendars/${id}`, { bearer: lead, tenant, body: OFFICE })).status,
    ).toBe(403);
    expect(
      (await api("POST", "/v1/calendars", { bearer: lead, tenant, body: OFFICE })).status,
    ).toBe(403);
  });

  it("is open by local time across clock changes, and closed on a day off", async () => {
    const { call, create } = await tenantWithAdmin();
    const { id } = await create({
      ...OFFICE,
      weekly: [{ day: "saturday", from: "22:00", to: "06:00" }],
      special_days: [{ date: "2026-04-04", name: "Closed" }],
    });
    const minutes = async (since: string, until: string) => {
      const answer = await call("GET", `/v1/calendars/${id}/open-hours`, undefined, {
        since,
        until,
      });
      return (answer.json as { open_minutes: number }).open_minutes;
    };
    expect(await minutes("2026-03-21T12:00:00Z", "2026-03-22T12:00:00Z")).toBe(8 * 60);
    expect(await minutes("2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z")).toBe(7 * 60);
    expect(await minutes("2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z")).toBe(9 * 60);
    expect(await minutes("2026-04-04T12:00:00Z", "2026-04-05T12:00:00Z")).toBe(0);
  });

  it("reaches three years ahead, and is extended by the worker while in use", async () => {
    const { tenant, call, create } = await tenantWithAdmin();
    const { id } = await create();
    const reach = () =>
      sql<{ enough: boolean }>(
        `select bool_and(covered_until > now() + interval '3 years') as enough
         from private.calendar_coverage where tenant_id = $1`,
        [tenant],
      );
    expect(await reach()).toEqual([{ enough: true }]);
    await sql(
      `with cut as (delete from private.calendar_spans where tenant_id = $1
         and starts_at >= date_trunc('year', now()) + interval '2 years' returning 1)
       update private.calendar_coverage
       set covered_until = date_trunc('year', now()) + interval '2 years', open_until = (
         select open_before + extract(epoch from ends_at - starts_at)::bigint * 1000
         from private.calendar_spans
         where tenant_id = $1 and starts_at < date_trunc('year', now()) + interval '2 years'
         order by starts_at desc limit 1)
       where tenant_id = $1`,
      [tenant],
    );
    expect(await reach()).toEqual([{ enough: false }]);
    await sql("select private.extend_calendars()");
    expect(await reach()).toEqual([{ enough: false }]);
    const minutes_to_resolve = { critical: 240, high: 480, medium: 1440, low: 4320 };
    const named = await call("PUT", "/v1/sla-policy", {
      minutes_to_resolve,
      at_risk_thresholds: [60],
      calendar_id: id,
    });
    expect(named.status).toBe(200);
    await sql("select private.extend_calendars()");
    expect(await reach()).toEqual([{ enough: true }]);
    expect(
      await sql(
        `select count(*)::integer as broken from (
           select open_before,
             lag(open_before + (extract(epoch
             from ends_at - starts_at) * 1000)::bigint) over (order by starts_at) as expected
           from private.calendar_spans where tenant_id = $1) x where open_before <> expected`,
        [tenant],
      ),
    ).toEqual([{ broken: 0 }]);
  });
});

describe("holidays", () => {
  it("are proposed by country and region, each day once, and stored only on request", async () => {
    const { call } = await tenantWithAdmin();
    const bavaria = (
      await call("GET", "/v1/holidays", undefined, { country: "DE", region: "BY", year: "2027" })
    ).json as {
      regions: { code: string }[];
      items: { date: string; name: string }[];
    };
    expect(bavaria.items).toContainEqual({ date: "2027-01-06", name: "Epiphany", kind: "public" });
    expect(new Set(bavaria.items.map(({ date }) => date)).size).toBe(bavaria.items.length);
    expect(bavaria.regions.map(({ code }) => code)).toContain("BE");
    const berlin = await call("GET", "/v1/holidays", undefined, {
      country: "DE",
      region: "BE",
      year: "2027",
    });
    expect(berlin.text).not.toContain("2027-01-06");
    expect((await call("GET", "/v1/holidays/countries")).text).toContain('"Germany"');
  });

  it("for an unknown place are refused", async () => {
    const { call } = await tenantWithAdmin();
    expect(
      (await call("GET", "/v1/holidays", undefined, { country: "XX", year: "2027" })).json,
    ).toMatchObject({
      errors: [{ path: "country" }],
    });
    expect(
      (await call("GET", "/v1/holidays", undefined, { country: "DE", region: "XX", year: "2027" }))
        .json,
    ).toMatchObject({
      errors: [{ path: "region" }],
    });
  });
});
