/** Special days as iCalendar text (RFC 5545): all-day events. */
import ICAL from "ical.js";
import { invalidRequest } from "../wire/errors.ts";
import { text } from "../wire/schema.ts";
import {
  INTERVALS_A_DAY,
  type Interval,
  SPECIAL_DAY_NAME_MAX,
  SPECIAL_DAYS_MAX,
  type SpecialDay,
} from "./contract.ts";
import { daysFrom, daysIn } from "./days.ts";
import { eventLinesOf, lineRefused } from "./ics-lines.ts";

/** What is taken of a hostile file: its first events, and of each no more than a month. */
const EVENTS_MAX = 2000;
const LASTING_MAX = 31;
const YEARS_AHEAD = 5;
const INTERVALS = /^(?:[01]\d|2[0-3]):[0-5]\d-(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

/**
 * The days of a file's all-day events, in order; of two on one day the first. Events that recur yearly count from the year before `year` until five
 * years after it. What has a time of day, lasts over a month or recurs otherwise is skipped, and counted.
 * @throws ApiError `invalid_request` if the text is no iCalendar file, naming the line where it is one that can't be read
 */
export function readDays(
  text: string,
  year: number,
): { special_days: SpecialDay[]; skipped: number } {
  const lines = eventLinesOf(text);
  const events = eventsOf(text);
  const days = new Map<string, SpecialDay>();
  let skipped = Math.max(0, events.length - EVENTS_MAX);
  for (const [nth, event] of events.slice(0, EVENTS_MAX).entries()) {
    const found = readEvent(event, year, lines[nth] ?? 1);
    if (!found) skipped += 1;
    for (const day of found ?? []) {
      if (days.has(day.date)) continue;
      if (days.size >= SPECIAL_DAYS_MAX) skipped += 1;
      else days.set(day.date, day);
    }
  }
  return { special_days: [...days.values()].sort((a, b) => a.date.localeCompare(b.date)), skipped };
}

function eventsOf(text: string): ICAL.Component[] {
  try {
    return ICAL.Component.fromString(text).getAllSubcomponents("vevent");
  } catch {
    throw invalidRequest([
      { path: "ics", message: "Must be an iCalendar file, from BEGIN:VCALENDAR to END:VCALENDAR." },
    ]);
  }
}

/** Undefined where its dates are. @throws ApiError `invalid_request`, naming `line` */
function readEvent(event: ICAL.Component, year: number, line: number): SpecialDay[] | undefined {
  try {
    const name = nameOf(event);
    const intervals = intervalsOf(event);
    return datesOf(event, year)?.map((date) => ({ date, name, intervals }));
  } catch {
    throw lineRefused(
      line,
      "The event that begins here can't be read. Correct its dates and RRULE, or remove it.",
    );
  }
}

/** As much of the summary as a name has, and no half of a character. */
function nameOf(event: ICAL.Component): string | null {
  const summary = String(event.getFirstPropertyValue("summary") ?? "");
  const cut = summary
    .trim()
    .slice(0, SPECIAL_DAY_NAME_MAX)
    .replace(/[\uD800-\uDBFF]$/, "");
  return text(SPECIAL_DAY_NAME_MAX).safeParse(cut).data ?? null;
}

/** Undefined where it isn't all-day, is too long, or recurs otherwise than yearly. */
function datesOf(event: ICAL.Component, around: number): string[] | undefined {
  const start = event.getFirstPropertyValue("dtstart");
  const end = event.getFirstPropertyValue("dtend");
  if (
    !(start instanceof ICAL.Time) ||
    !start.isDate ||
    event.hasProperty("rdate") ||
    event.hasProperty("recurrence-id")
  )
    return undefined;
  const first = Date.UTC(start.year, start.month - 1, start.day);
  const lasting =
    end instanceof ICAL.Time ? daysIn(Date.UTC(end.year, end.month - 1, end.day) - first) : 1;
  if (lasting > LASTING_MAX) return undefined;
  const rule = event.getFirstPropertyValue("rrule");
  if (rule === null) return daysFrom(first, lasting);
  if (!(rule instanceof ICAL.Recur) || rule.freq !== "YEARLY" || Object.keys(rule.parts).length > 0)
    return undefined;
  const until = rule.until
    ? Date.UTC(rule.until.year, rule.until.month - 1, rule.until.day)
    : Number.POSITIVE_INFINITY;
  const excluded = new Set(
    event
      .getAllProperties("exdate")
      .flatMap((one) => one.getValues().map((value) => String(value).slice(0, 10))),
  );
  return yearsOf(start, rule, around)
    .map((year) => Date.UTC(year, start.month - 1, start.day))
    .filter((at) => at <= until && !excluded.has(new Date(at).toISOString().slice(0, 10)))
    .flatMap((at) => daysFrom(at, lasting));
}

/** In which years a yearly event takes place, from the year before `around` on. One of 29 February comes in leap years alone. */
function yearsOf(start: ICAL.Time, rule: ICAL.Recur, around: number): number[] {
  const every = Math.max(1, rule.interval);
  const takesPlace = start.month === 2 && start.day === 29 ? ICAL.Time.isLeapYear : () => true;
  const before = Math.max(0, Math.ceil((around - 1 - start.year) / every));
  let left = Number.POSITIVE_INFINITY;
  if (typeof rule.count === "number") {
    left = rule.count;
    for (let nth = 0; nth < before && left > 0; nth++)
      if (takesPlace(start.year + nth * every)) left -= 1;
  }
  const found: number[] = [];
  for (
    let year = start.year + before * every;
    year <= around + YEARS_AHEAD && found.length < left;
    year += every
  )
    if (takesPlace(year)) found.push(year);
  return found;
}

/** As `writeDays` keeps them; closed where there are none, or they aren't ours. */
function intervalsOf(event: ICAL.Component): Interval[] {
  const kept = String(event.getFirstPropertyValue("x-tieout-intervals") ?? "").split(",");
  if (!kept.every((one) => INTERVALS.test(one)) || kept.length > INTERVALS_A_DAY) return [];
  return kept
    .map((one) => ({ from: one.slice(0, 5), to: one.slice(6) }))
    .filter(({ from, to }) => from !== to);
}

/** One all-day event a day. */
export function writeDays(calendar: {
  id: string;
  name: string;
  updated_at: string;
  special_days: SpecialDay[];
}): string {
  const file = new ICAL.Component("vcalendar");
  file.addPropertyWithValue("version", "2.0");
  file.addPropertyWithValue("prodid", "-//Tieout//Calendars//EN");
  file.addPropertyWithValue("x-wr-calname", calendar.name);
  for (const { date, name, intervals } of calendar.special_days) {
    const event = new ICAL.Component("vevent");
    event.addPropertyWithValue("uid", `${date}@${calendar.id}`);
    event.addPropertyWithValue(
      "dtstamp",
      ICAL.Time.fromJSDate(new Date(calendar.updated_at), true),
    );
    event.addPropertyWithValue("dtstart", ICAL.Time.fromDateString(date));
    event.addPropertyWithValue(
      "summary",
      name ?? (intervals.length === 0 ? "Closed" : "Other hours"),
    );
    if (intervals.length > 0)
      event.addPropertyWithValue(
        "x-tieout-intervals",
        intervals.map(({ from, to }) => `${from}-${to}`).join(","),
      );
    file.addSubcomponent(event);
  }
  return `${file.toString()}\r\n`;
}
