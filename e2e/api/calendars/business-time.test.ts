import { expect, it } from "vitest";
import { createTenant, database, sql } from "#e2e/fixtures.ts";
import { WEEKDAYS } from "#lib/calendars/contract.ts";
import { type Hours, SlowClock } from "./oracle.ts";

/** Each calendar is queried a hundred times. CALENDARS=1000 makes it a hundred thousand queries. */
const CALENDARS = Number(process.env.CALENDARS ?? 12);
const QUERIES_PER_CALENDAR = 100;
const TIMEOUT_MS = 60_000 + CALENDARS * 10_000;
const SEED = Number(process.env.SEED ?? 20261122);
const DAYS = 21;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/**
 * Zones with offsets of half and quarter hours, a clock change of half an hour, skipped days, and
 * clock changes in both hemispheres.
 */
const UNUSUAL_ZONES = [
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Pacific/Chatham",
  "America/St_Johns",
  "Pacific/Apia",
  "Africa/Casablanca",
  "Antarctica/Troll",
  "America/New_York",
  "Europe/Berlin",
  "America/Santiago",
  "Asia/Tehran",
];
const ZONES = Intl.supportedValuesOf("timeZone");
/** First days of windows in which clocks change somewhere, or with a leap day. */
const WINDOWS = [
  "02-20",
  "03-05",
  "03-20",
  "03-28",
  "04-01",
  "09-20",
  "10-01",
  "10-20",
  "10-28",
  "12-25",
];

it(
  "business time and its inverse agree with a minute-by-minute oracle, in any zone and across clock changes",
  async () => {
    const random = generator(SEED);
    const tenant = await createTenant();
    let differing = 0;
    let calls = 0;
    for (let n = 0; n < CALENDARS; n++) {
      const pick = <T>(values: readonly T[]): T =>
        values[Math.floor(random() * values.length)] as T;
      const time_zone = random() < 0.5 ? pick(UNUSUAL_ZONES) : pick(ZONES);
      const start = Date.parse(`${2006 + Math.floor(random() * 38)}-${pick(WINDOWS)}T00:00:00Z`);
      if (await hasDifferentRules(time_zone, start)) {
        differing += 1;
        continue;
      }
      const hours: Hours = { time_zone, ...randomHours(random, start) };
      const slow = new SlowClock(hours, start, DAYS);
      const calendarNo = await createCalendar(tenant, hours, start);
      const starts = Array.from(
        { length: QUERIES_PER_CALENDAR },
        () => start + Math.floor(random() * DAYS * DAY_MS),
      );
      const budgets = starts.map(
        (at) => 1 + Math.floor(random() * (slow.total - slow.openBefore(at))),
      );
      const reachable = starts.map((at) => slow.openBefore(at) < slow.total);
      // Queried first, while the stored spans cover only a third of the window: the rest is computed
      // by the query.
      const before = await sql<{ open: string; base: string }>(
        `select private.open_ms($1, $2, to_timestamp(t / 1000.0)) as open,
           private.open_ms($1, $2, to_timestamp($4 / 1000.0)) as base
       from unnest($3::float8[]) with ordinality x (t, n) order by n`,
        [tenant, calendarNo, starts, start],
      );
      const after = await sql<{ at: Date }>(
        `select private.moment_at($1, $2,
           private.open_ms($1, $2, to_timestamp(t / 1000.0)) + b) as at
       from unnest($3::float8[], $4::bigint[]) with ordinality x (t, b, n) order by n`,
        [tenant, calendarNo, starts, budgets],
      );
      const back = await sql<{ open: string }>(
        `select private.open_ms($1, $2, to_timestamp(t / 1000.0)) as open
         from unnest($3::float8[]) with ordinality x (t, n) order by n`,
        [tenant, calendarNo, after.map(({ at }) => at?.getTime() ?? 0)],
      );
      const context = () =>
        JSON.stringify({ seed: SEED, n, hours, start: new Date(start).toISOString() });
      for (const [index, at] of starts.entries()) {
        const open = Number(before[index]?.open) - Number(before[index]?.base);
        expect(open, context()).toBe(slow.openBefore(at));
        if (!reachable[index]) continue;
        calls += 1;
        const due = slow.reached(slow.openBefore(at) + (budgets[index] ?? 0));
        expect(after[index]?.at?.toISOString(), context()).toBe(new Date(due).toISOString());
        expect(Number(back[index]?.open) - Number(before[index]?.base), context()).toBe(
          open + (budgets[index] ?? 0),
        );
      }
    }
    console.info(
      `${calls} starts and budgets of ${CALENDARS - differing} calendars; ${differing} windows ` +
        "left out, where Postgres and Node have different rules",
    );
    expect(calls).toBeGreaterThan((CALENDARS * QUERIES_PER_CALENDAR) / 2);
    expect(differing).toBeLessThan(CALENDARS / 5);
  },
  TIMEOUT_MS,
);

/**
 * Postgres and Node have different versions of the time zone data, so a rule that changed between
 * the versions is not an error.
 */
async function hasDifferentRules(zone: string, start: number): Promise<boolean> {
  const local = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  const moments = Array.from({ length: (DAYS * DAY_MS) / HOUR_MS }, (_, n) => start + n * HOUR_MS);
  const { rows } = await database.query<{ shown: string }>(
    `select to_char(to_timestamp(t / 1000.0) at time zone $1, 'YYYY-MM-DD HH24:MI:SS') as shown
     from unnest($2::float8[]) with ordinality x (t, n) order by n`,
    [zone, moments],
  );
  return rows.some(({ shown }, index) => shown !== local.format(moments[index]));
}

async function createCalendar(
  tenant: string,
  { time_zone, weekly, special_days }: Hours,
  start: number,
): Promise<string> {
  const [row] = await sql<{ no: string }>(
    `with c as (insert into public.calendars (tenant_id, name) values ($1, 'Random') returning id)
     insert into public.calendar_versions (tenant_id, calendar_id, version, time_zone, weekly,
       special_days)
     select $1, c.id, 1, $2, $3, $4 from c returning calendar_no as no`,
    [tenant, time_zone, JSON.stringify(weekly), JSON.stringify(special_days)],
  );
  if (!row) throw new Error("no calendar");
  const third = (n: number) => new Date(start + (n * DAYS * DAY_MS) / 3);
  await sql("select private.start_business_time($1, $2, $3, $4)", [
    tenant,
    row.no,
    third(1),
    third(2),
  ]);
  return row.no;
}

function randomHours(random: () => number, start: number): Omit<Hours, "time_zone"> {
  const time = () => {
    const minutes = Math.floor(random() * 288) * 5;
    return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
  };
  const interval = () => {
    const from = time();
    const to = random() < 0.1 ? "24:00" : time();
    return from === to ? { from: "00:00", to: "24:00" } : { from, to };
  };
  const weekly = Array.from({ length: 1 + Math.floor(random() * 12) }, () => ({
    day: WEEKDAYS[Math.floor(random() * 7)] as Hours["weekly"][number]["day"],
    ...interval(),
  }));
  const dates = new Set(
    Array.from(
      { length: Math.floor(random() * 6) },
      () => start + Math.floor(random() * DAYS) * DAY_MS,
    ),
  );
  const special_days = [...dates].map((date) => ({
    date: new Date(date).toISOString().slice(0, 10),
    name: null,
    intervals: Array.from({ length: Math.floor(random() * 3) }, interval),
  }));
  return { weekly, special_days };
}

/** mulberry32 */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
