import fc from "fast-check";
import { expect, test } from "vitest";
import { sql } from "#e2e/fixtures.ts";

const DAY_MS = 86_400_000;
const ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"];
const SPAN = { min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 11, 31) };

const dayNumber = fc.integer({ min: SPAN.min / DAY_MS, max: SPAN.max / DAY_MS });
const openDays = fc.option(
  fc.record({
    weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
    opened: fc.uniqueArray(dayNumber, { maxLength: 5 }),
    closed: fc.uniqueArray(dayNumber, { maxLength: 60 }),
  }),
);
const clock = fc
  .tuple(fc.integer({ min: 0, max: 1438 }), fc.integer({ min: 1, max: 1439 }))
  .map(([start, more]) => [start, Math.min(1439, start + more)].map(hhmm));
const situation = fc
  .record({
    zone: fc.constantFrom(...ZONES),
    open_days: openDays,
    clock,
    moment: fc.integer(SPAN),
    pause_minutes: fc.integer({ min: 1, max: 15 }),
    is_missing: fc.boolean(),
  })
  .map(({ clock: [at = "", retry_until = ""], ...others }) => ({ ...others, at, retry_until }));
type Situation = typeof situation extends fc.Arbitrary<infer Value> ? Value : never;

function hhmm(minutes: number): string {
  return new Date(minutes * 60_000).toISOString().slice(11, 16);
}

/** The local day and time in the zone. */
function local(moment: number, zone: string): { day: number; time: string } {
  const text = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "medium",
  }).format(moment);
  return { day: Date.parse(text.slice(0, 10)) / DAY_MS, time: text.slice(11) };
}

function isOpen(openDaysOf: Situation["open_days"], day: number): boolean {
  const weekday = ((day + 3) % 7) + 1;
  if (openDaysOf === null) return weekday < 6;
  const { opened, closed, weekdays } = openDaysOf;
  return opened.includes(day) || (weekdays.includes(weekday) && !closed.includes(day));
}

/** The next fetch and deadline of each situation, by the database's own functions. */
async function answersFor(situations: readonly Situation[]) {
  return sql<{ fetched: string; expected: string; opens: string[] }>(
    `select extract(epoch from private.next_fetch(s.schedule, s.zone, s.days, s.moment, s.pause,
         s.is_missing)) * 1000 as fetched,
       extract(epoch from private.next_expected(s.schedule, s.zone, s.days, s.moment,
         '-infinity')) * 1000 as expected
     from jsonb_array_elements($1::jsonb) with ordinality g (c, n)
     cross join lateral (select g.c as schedule, g.c ->> 'zone' as zone,
       nullif(g.c -> 'open_days', 'null') as days,
       to_timestamp((g.c ->> 'moment')::numeric / 1000) as moment,
       make_interval(mins => (g.c ->> 'pause_minutes')::integer) as pause,
       (g.c ->> 'is_missing')::boolean as is_missing) s
     order by g.n`,
    [JSON.stringify(situations)],
  );
}

test("fetches begin on business days and continue until a file arrives or is late", async () => {
  const situations = fc.sample(situation, { numRuns: 300, seed: 45 });
  const answers = await answersFor(situations);
  for (const [at, { fetched, expected }] of answers.entries()) {
    const example = situations[at] as Situation;
    const { zone, moment, open_days, is_missing, retry_until } = example;
    const now = local(moment, zone);
    const next = local(Number(fetched), zone);
    const inWindow = moment + example.pause_minutes * 60_000;
    const isLate = local(inWindow, zone).time > retry_until;
    const retried = isLate ? moment + 15 * 60_000 : inWindow;
    const isInWindow = isOpen(open_days, now.day) && now.time >= example.at;
    const ends = is_missing ? "23:59" : retry_until;
    const known = local(retried, zone);
    // At a clock change, a local time occurs twice or never.
    const isPlain = !isNearChange(zone, moment) && !isNearChange(zone, Number(fetched));
    expect(Number(fetched), JSON.stringify(example)).toBeGreaterThan(moment);
    expect(isOpen(open_days, next.day), JSON.stringify(example)).toBe(true);
    if (!isPlain) continue;
    if (isInWindow && known.day === now.day && known.time < ends)
      expect(Number(fetched), JSON.stringify(example)).toBe(retried);
    else if (Number(fetched) !== retried) {
      expect(next.time.slice(0, 5), JSON.stringify(example)).toBe(example.at);
      for (let day = now.day + 1; day < next.day; day++) expect(isOpen(open_days, day)).toBe(false);
    }
    const late = local(Number(expected), zone);
    if (isNearChange(zone, Number(expected))) continue;
    expect([isOpen(open_days, late.day), late.time.slice(0, 5)]).toEqual([true, retry_until]);
    for (let day = now.day + 1; day < late.day; day++) expect(isOpen(open_days, day)).toBe(false);
  }
});

function isNearChange(zone: string, moment: number): boolean {
  const hours = (time: number) => {
    const shown = local(time, zone);
    return (
      shown.day * 24 * 60 + Number(shown.time.slice(0, 2)) * 60 + Number(shown.time.slice(3, 5))
    );
  };
  return hours(moment + 1.5 * DAY_MS) - hours(moment - 1.5 * DAY_MS) !== 3 * 24 * 60;
}

test("a fetch at a skipped local time runs right after it, and at a repeated one it runs once", async () => {
  const berlin = { zone: "Europe/Berlin", open_days: null, pause_minutes: 5, is_missing: false };
  const everyDay = { weekdays: [1, 2, 3, 4, 5, 6, 7], opened: [], closed: [] };
  const spring = { ...berlin, open_days: everyDay, at: "02:30", retry_until: "05:00" };
  const answers = await answersFor([
    { ...spring, moment: Date.UTC(2026, 2, 28, 23) },
    { ...spring, moment: Date.UTC(2026, 9, 24, 22) },
  ]);
  expect(answers.map(({ fetched }) => new Date(Number(fetched)).toISOString())).toEqual([
    "2026-03-29T01:30:00.000Z",
    "2026-10-25T01:30:00.000Z",
  ]);
});
