/** Reads and writes special days as iCalendar text (RFC 5545): all-day events. */

import ICAL from "ical.js";
import { invalidRequest } from "../wire/errors.ts";
import { PRODUCT } from "../wire/product.ts";
import { text } from "../wire/schema.ts";
import {
  INTERVALS_A_DAY,
  type Interval,
  SKIPPED_EVENTS_MAX,
  SPECIAL_DAY_NAME_MAX,
  SPECIAL_DAYS_MAX,
  type SpecialDay,
} from "./contract.ts";
import {
  daysOf,
  reasonToSkip,
  replacedBy,
  type SkipReason,
  uidOf,
  versionOf,
} from "./ics-events.ts";
import { eventLinesOf, lineError } from "./ics-lines.ts";
import type { Window } from "./ics-recurrence.ts";

/** Some programs omit VALUE=DATE. */
const UNMARKED_DATES = /^(DTSTART|DTEND|RECURRENCE-ID|EXDATE|RDATE)(:\d{8}(?:,\d{8})*\r?)$/gim;
const NO_DAYS: ReadonlySet<string> = new Set();

/**
 * The limits on a hostile file: its first 2,000 events, and the names of the first 100 skipped
 * ones.
 */
const EVENTS_MAX = 2000;
const YEARS_AHEAD = 5;
const LOOKUPS_MAX = 100_000;
const INTERVALS = /^(?:[01]\d|2[0-3]):[0-5]\d-(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

/** An event that added no day, or not all of its days. */
export type SkippedEvent = { line: number; name: string | null; reason: SkipReason };

/**
 * The days of a file's all-day events, in order; if two events share a day, the first counts.
 * Recurring events are expanded from the year before `year` to five years after it, with moved and
 * cancelled occurrences applied. Events that have a time of day, last over a month, are no days off
 * or recur in an unsupported way are skipped, counted and named.
 *
 * @throws ApiError `invalid_request` if the text is no iCalendar file; if a line can't be read, the
 * error names it
 */
export function readDays(
  text: string,
  year: number,
): { special_days: SpecialDay[]; skipped: number; skipped_events: SkippedEvent[] } {
  const lines = eventLinesOf(text);
  const events = eventsOf(text);
  const window = {
    from: Date.UTC(year - 1, 0, 1),
    to: Date.UTC(year + YEARS_AHEAD, 11, 31),
    lookups: LOOKUPS_MAX,
  };
  const series = seriesOf(events.slice(0, EVENTS_MAX));
  const latest = latestOf(events.slice(0, EVENTS_MAX));
  const days = new Map<string, SpecialDay>();
  const skipped_events: SkippedEvent[] = [];
  let skipped = 0;
  const skip = (event: ICAL.Component, line: number, reason: SkipReason) => {
    skipped++;
    if (skipped <= SKIPPED_EVENTS_MAX) skipped_events.push({ line, name: nameOf(event), reason });
  };
  for (const [nth, event] of events.entries()) {
    const line = lines[nth] ?? 1;
    if (nth >= EVENTS_MAX) {
      skip(event, line, "limit");
      continue;
    }
    const version = versionOf(event);
    if (version && version.sequence < (latest.get(version.key) ?? 0)) continue;
    const found = readEvent(event, window, series, line);
    if (!Array.isArray(found)) skip(event, line, found);
    else if (!addDays(days, found)) skip(event, line, "limit");
  }
  const special_days = [...days.values()].sort((a, b) => a.date.localeCompare(b.date));
  return { special_days, skipped, skipped_events };
}

/** Adds the days; false if the limit leaves no room for all of them. */
function addDays(days: Map<string, SpecialDay>, found: SpecialDay[]): boolean {
  for (const day of found) {
    if (days.has(day.date)) continue;
    if (days.size >= SPECIAL_DAYS_MAX) return false;
    days.set(day.date, day);
  }
  return true;
}

/** The highest sequence of each event, because a file may contain earlier versions. */
function latestOf(events: ICAL.Component[]): Map<string, number> {
  const latest = new Map<string, number>();
  for (const event of events) {
    const version = versionOf(event);
    if (version) latest.set(version.key, Math.max(version.sequence, latest.get(version.key) ?? 0));
  }
  return latest;
}

/**
 * The days of each UID whose occurrences other events replace; null if one replaces all later ones.
 */
function seriesOf(events: ICAL.Component[]): Map<string, Set<string> | null> {
  const series = new Map<string, Set<string> | null>();
  for (const event of events) {
    const replaced = replacedBy(event);
    if (!replaced) continue;
    const known = series.get(replaced.uid);
    if (replaced.isRange || known === null) series.set(replaced.uid, null);
    else series.set(replaced.uid, (known ?? new Set()).add(replaced.day));
  }
  return series;
}

function eventsOf(text: string): ICAL.Component[] {
  try {
    const dated = text.replace(UNMARKED_DATES, "$1;VALUE=DATE$2");
    return ICAL.Component.fromString(dated).getAllSubcomponents("vevent");
  } catch {
    throw invalidRequest([
      { path: "ics", message: "Must be an iCalendar file, from BEGIN:VCALENDAR to END:VCALENDAR." },
    ]);
  }
}

/**
 * The days of an event, or why it has none. @throws ApiError `invalid_request` that names `line`
 */
function readEvent(
  event: ICAL.Component,
  window: Window,
  series: Map<string, Set<string> | null>,
  line: number,
): SpecialDay[] | SkipReason {
  try {
    const replaced = replacedBy(event);
    const reason = reasonToSkip(event);
    // A cancelled occurrence is removed from its series and adds no day.
    if (reason === "cancelled" && replaced && !replaced.isRange) return [];
    if (reason) return reason;
    const moved = replaced ? NO_DAYS : series.get(uidOf(event));
    const dates =
      moved === null || replaced?.isRange ? undefined : daysOf(event, window, moved ?? NO_DAYS);
    if (!dates) return "recurrence";
    const name = nameOf(event);
    const intervals = intervalsOf(event);
    return dates.map((date) => ({ date, name, intervals }));
  } catch {
    throw lineError(
      line,
      "The event that begins here can't be read. Correct its dates and RRULE, or remove it.",
    );
  }
}

/** The summary, cut to a name's maximum length without splitting a character. */
function nameOf(event: ICAL.Component): string | null {
  const summary = String(event.getFirstPropertyValue("summary") ?? "");
  const cut = summary
    .trim()
    .slice(0, SPECIAL_DAY_NAME_MAX)
    .replace(/[\uD800-\uDBFF]$/, "");
  return text(SPECIAL_DAY_NAME_MAX).safeParse(cut).data ?? null;
}

/** The hours that `writeDays` stored; empty (closed) if there are none or they aren't ours. */
function intervalsOf(event: ICAL.Component): Interval[] {
  const parts = String(event.getFirstPropertyValue("x-tieout-intervals") ?? "").split(",");
  if (!parts.every((part) => INTERVALS.test(part)) || parts.length > INTERVALS_A_DAY) return [];
  return parts
    .map((part) => ({ from: part.slice(0, 5), to: part.slice(6) }))
    .filter(({ from, to }) => from !== to);
}

/** Writes one all-day event per special day. */
export function writeDays(calendar: {
  id: string;
  name: string;
  updated_at: string;
  special_days: SpecialDay[];
}): string {
  const file = new ICAL.Component("vcalendar");
  file.addPropertyWithValue("version", "2.0");
  file.addPropertyWithValue("prodid", `-//${PRODUCT}//Calendars//EN`);
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
