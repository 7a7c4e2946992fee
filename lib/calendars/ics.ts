/** Special days as iCalendar text (RFC 5545): all-day events. */
import ICAL from "ical.js";
import { INTERVALS_A_DAY, type Interval, SPECIAL_DAY_NAME_MAX, SPECIAL_DAYS_MAX, type SpecialDay } from "./contract.ts";
import { daysFrom, daysIn } from "./days.ts";

/** What is taken of a hostile file: its first events, and of each no more than a month. */
const EVENTS_MAX = 2000;
/** Parsing a date of EXDATE or RDATE costs 20 µs. */
export const NAMED_DATES_MAX = 2000;
const LASTING_MAX = 31;
const YEARS_AHEAD = 5;
const INTERVALS = /^(?:[01]\d|2[0-3]):[0-5]\d-(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

/**
 * The days of a file's all-day events, in order; of two on one day the first. Events that recur yearly count from the year before `year` until five
 * years after it. What has a time of day, lasts over a month or recurs otherwise is skipped, and counted. Undefined: not an iCalendar file.
 */
export function readDays(text: string, year: number): { special_days: SpecialDay[]; skipped: number } | undefined {
  let events: ICAL.Component[];
  try {
    events = ICAL.Component.fromString(text).getAllSubcomponents("vevent");
  } catch {
    return undefined;
  }
  const days = new Map<string, SpecialDay>();
  let skipped = Math.max(0, events.length - EVENTS_MAX);
  for (const event of events.slice(0, EVENTS_MAX)) {
    const dates = datesOf(event, year);
    if (!dates) {
      skipped += 1;
      continue;
    }
    const name =
      String(event.getFirstPropertyValue("summary") ?? "")
        .trim()
        .slice(0, SPECIAL_DAY_NAME_MAX) || null;
    const intervals = intervalsOf(event);
    for (const date of dates) {
      if (days.size >= SPECIAL_DAYS_MAX && !days.has(date)) skipped += 1;
      else if (!days.has(date)) days.set(date, { date, name, intervals });
    }
  }
  return { special_days: [...days.values()].sort((a, b) => a.date.localeCompare(b.date)), skipped };
}

/** How many dates a file names in EXDATE and RDATE, without parsing them. */
export function namedDatesIn(text: string): number {
  const unfolded = text.replace(/\r?\n[ \t]/g, "");
  return [...unfolded.matchAll(/^(?:EXDATE|RDATE)[^\r\n]*/gim)].reduce((count, [line]) => count + line.split(",").length, 0);
}

/** Undefined where it isn't all-day, is too long, or recurs otherwise than yearly. */
function datesOf(event: ICAL.Component, around: number): string[] | undefined {
  const start = event.getFirstPropertyValue("dtstart");
  const end = event.getFirstPropertyValue("dtend");
  if (!(start instanceof ICAL.Time) || !start.isDate || event.hasProperty("rdate") || event.hasProperty("recurrence-id")) return undefined;
  const first = Date.UTC(start.year, start.month - 1, start.day);
  const lasting = end instanceof ICAL.Time ? daysIn(Date.UTC(end.year, end.month - 1, end.day) - first) : 1;
  if (lasting > LASTING_MAX) return undefined;
  const rule = event.getFirstPropertyValue("rrule");
  if (rule === null) return daysFrom(first, lasting);
  if (!(rule instanceof ICAL.Recur) || rule.freq !== "YEARLY" || Object.keys(rule.parts).length > 0) return undefined;
  const until = rule.until ? Date.UTC(rule.until.year, rule.until.month - 1, rule.until.day) : Number.POSITIVE_INFINITY;
  const excluded = new Set(event.getAllProperties("exdate").flatMap((one) => one.getValues().map((value) => String(value).slice(0, 10))));
  return yearsOf(start, rule, around)
    .map((year) => Date.UTC(year, start.month - 1, start.day))
    .filter((at) => at <= until && !excluded.has(new Date(at).toISOString().slice(0, 10)))
    .flatMap((at) => daysFrom(at, lasting));
}

/** In which years a yearly event takes place, from the year before `around` on. One of 29 February comes in leap years alone. */
function yearsOf(start: ICAL.Time, rule: ICAL.Recur, around: number): number[] {
  const every = Math.max(1, rule.interval);
  const isLeapDay = start.month === 2 && start.day === 29;
  const found: number[] = [];
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  for (let year = start.year; year <= around + YEARS_AHEAD && left > 0; year += every) {
    if (isLeapDay && !ICAL.Time.isLeapYear(year)) continue;
    left -= 1;
    if (year >= around - 1) found.push(year);
  }
  return found;
}

/** As `writeDays` keeps them; closed where there are none, or they aren't ours. */
function intervalsOf(event: ICAL.Component): Interval[] {
  const kept = String(event.getFirstPropertyValue("x-tieout-intervals") ?? "").split(",");
  if (!kept.every((one) => INTERVALS.test(one)) || kept.length > INTERVALS_A_DAY) return [];
  return kept.map((one) => ({ from: one.slice(0, 5), to: one.slice(6) })).filter(({ from, to }) => from !== to);
}

/** One all-day event a day. */
export function writeDays(calendar: { id: string; name: string; updated_at: string; special_days: SpecialDay[] }): string {
  const file = new ICAL.Component("vcalendar");
  file.addPropertyWithValue("version", "2.0");
  file.addPropertyWithValue("prodid", "-//Tieout//Calendars//EN");
  file.addPropertyWithValue("x-wr-calname", calendar.name);
  for (const { date, name, intervals } of calendar.special_days) {
    const event = new ICAL.Component("vevent");
    event.addPropertyWithValue("uid", `${date}@${calendar.id}`);
    event.addPropertyWithValue("dtstamp", ICAL.Time.fromJSDate(new Date(calendar.updated_at), true));
    event.addPropertyWithValue("dtstart", ICAL.Time.fromDateString(date));
    event.addPropertyWithValue("summary", name ?? (intervals.length === 0 ? "Closed" : "Other hours"));
    if (intervals.length > 0) event.addPropertyWithValue("x-tieout-intervals", intervals.map(({ from, to }) => `${from}-${to}`).join(","));
    file.addSubcomponent(event);
  }
  return `${file.toString()}\r\n`;
}
