import { expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";
import type { Calendar } from "#lib/calendars/contract.ts";
import type { RuleSet } from "#lib/matching/rules/contract.ts";
import type { Run } from "#lib/matching/runs/contract.ts";
import { Fixture, line } from "./matching-fixture.ts";

const SLOW = 300_000;
const WEEK = ["monday", "tuesday", "wednesday", "thursday", "friday"].map((day) => ({
  day,
  from: "09:00",
  to: "17:00",
}));
const OFFICE = { name: "Office", time_zone: "Europe/Berlin", weekly: WEEK };
const CLOSED_ON_MONDAY = { ...OFFICE, special_days: [{ date: "2026-10-12", name: "Closed" }] };
const NEXT_DAY = [
  {
    name: "Next business day",
    kind: "tolerance",
    on: ["reference"],
    days_after: 1,
    day_kind: "business",
    then: "match",
  },
];

/** A left line of a Friday, and its counterpart of the Tuesday after. */
async function pairAcrossMonday(hours: object) {
  const fixture = await Fixture.create();
  const calendar = await fixture.ok<Calendar>("POST", "calendars", { body: hours });
  await fixture.add("left", [line("l", 500, { reference: "X", value_date: "2026-10-09" })]);
  await fixture.add("right", [line("r", 500, { reference: "X", value_date: "2026-10-13" })]);
  const rules = (body: object = {}) =>
    fixture.ok<RuleSet>("PUT", `reconciliations/${fixture.period}/rules`, {
      body: { rules: NEXT_DAY, ...body },
    });
  const matched = async () => (await fixture.matches({ state: "confirmed" })).length;
  return { fixture, calendar, rules, matched };
}

test(
  "business days follow the pair's calendar, and the run records its version",
  async () => {
    const { fixture, calendar, rules, matched } = await pairAcrossMonday(CLOSED_ON_MONDAY);
    await rules();
    expect(await fixture.run()).toMatchObject({ calendar_id: null, calendar_version: null });
    expect(await matched()).toBe(0);
    expect(await rules({ calendar_id: calendar.id })).toMatchObject({ calendar_id: calendar.id });
    const run = await fixture.run();
    expect(run).toMatchObject({
      status: "done",
      calendar_id: calendar.id,
      calendar_version: 1,
      changed: { added: 1 },
    });
    expect((await fixture.matches({ state: "confirmed" }))[0]?.explanation).toMatchObject({
      tolerance: { days: 1 },
    });
    expect(await fixture.run()).toMatchObject({
      digest: run.digest,
      changed: { added: 0, undone: 0 },
    });
    // An omitted calendar stays, and null removes it.
    expect(await rules()).toMatchObject({ calendar_id: calendar.id });
    expect(await rules({ calendar_id: null })).toMatchObject({ calendar_id: null });
    await fixture.run();
    expect(await matched()).toBe(0);
  },
  SLOW,
);

test(
  "a changed calendar makes the next run match all lines again, and its preview counts the affected periods",
  async () => {
    const { fixture, calendar, rules, matched } = await pairAcrossMonday(CLOSED_ON_MONDAY);
    await rules({ calendar_id: calendar.id });
    await fixture.run();
    const put = (body: object) =>
      fixture.ok("PUT", `calendars/${calendar.id}`, { body: { ...OFFICE, ...body } });
    expect(await put({ dry_run: true })).toMatchObject({ impact: { periods: 1 } });
    expect(await fixture.run()).toMatchObject({ calendar_version: 1 });
    expect(
      await put({ name: "Renamed", special_days: CLOSED_ON_MONDAY.special_days }),
    ).toMatchObject({ impact: { periods: 0 } });
    expect(await put({})).toMatchObject({ calendar_version: 2, impact: { periods: 1 } });
    expect(await fixture.run()).toMatchObject({ calendar_version: 2, changed: { undone: 1 } });
    expect(await matched()).toBe(0);
    expect((await fixture.proof()).holds).toBe(true);
  },
  SLOW,
);

test(
  "a period that runs automatically runs again when its calendar changes",
  async () => {
    const { fixture, calendar, rules } = await pairAcrossMonday(OFFICE);
    await rules({ calendar_id: calendar.id });
    await fixture.ok("PATCH", `reconciliations/${fixture.period}`, { body: { auto_run: true } });
    await fixture.ok("PUT", `calendars/${calendar.id}`, { body: CLOSED_ON_MONDAY });
    const runs = () =>
      fixture.ok<{ items: Run[] }>("GET", `reconciliations/${fixture.period}/runs`);
    await expect
      .poll(
        async () => (await runs()).items.find(({ status }) => status === "done")?.calendar_version,
        { timeout: 180_000 },
      )
      .toBe(2);
  },
  SLOW,
);

test(
  "another calendar can be previewed before it is set",
  async () => {
    const { fixture, calendar, rules, matched } = await pairAcrossMonday(CLOSED_ON_MONDAY);
    await rules();
    await fixture.run();
    const tried = await fixture.run(fixture.period, { dry_run: true, calendar_id: calendar.id });
    expect(tried).toMatchObject({ calendar_version: 1, impact: { newly_matched: { matches: 1 } } });
    expect(await matched()).toBe(0);
    expect(await fixture.ok("GET", `reconciliations/${fixture.period}/rules`)).toMatchObject({
      calendar_id: null,
    });
  },
  SLOW,
);

test("a calendar that the tenant does not have is refused", async () => {
  const { fixture, rules } = await pairAcrossMonday(OFFICE);
  const { calendar: foreign } = await pairAcrossMonday(OFFICE);
  const path = `reconciliations/${fixture.period}`;
  const refused = { status: 400, errors: [{ path: "calendar_id" }] };
  await rules();
  for (const dry_run of [true, false]) {
    const body = { rules: NEXT_DAY, calendar_id: foreign.id, dry_run };
    expect((await fixture.call("PUT", `${path}/rules`, { body })).json).toMatchObject(refused);
  }
  expect(
    (
      await fixture.call("POST", `${path}/runs`, {
        body: { dry_run: true, calendar_id: foreign.id },
      })
    ).json,
  ).toMatchObject(refused);
});

test("a source's grace period counts them too", async () => {
  const { fixture, calendar } = await pairAcrossMonday({ ...OFFICE, weekly: WEEK.slice(0, 1) });
  const [row] = await sql<{ by_calendar: string; without: string }>(
    `select private.last_day_of_grace(s, $2)::text as by_calendar,
       private.last_day_of_grace(s, null)::text as without
     from public.sources s where s.id = $1`,
    [fixture.left, calendar.id],
  );
  const mondays = new Date(row?.by_calendar ?? "");
  expect(mondays.getUTCDay()).toBe(1);
  const today = Date.now();
  expect(today - mondays.getTime()).toBeGreaterThan(14 * 86_400_000);
  expect(today - Date.parse(row?.without ?? "")).toBeLessThan(7 * 86_400_000);
});
