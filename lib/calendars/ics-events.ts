/** Reads closed days from single events of an iCalendar file. */
import ICAL from "ical.js";
import type { SKIP_REASONS } from "./contract.ts";
import { DAY_MS, daysFrom, daysIn } from "./days.ts";
import { occurrencesOf, type Window } from "./ics-recurrence.ts";

/** An event longer than 31 days isn't a special day. */
const DURATION_MAX_DAYS = 31;
/**
 * English, German, French, Spanish, Italian and Portuguese names, as holiday calendars write them
 * in categories or descriptions.
 */
const OBSERVANCE =
  /^(?:observances?|gedenktage?|journées? commémoratives?|observancias?|conmemoracion(?:es)?|ricorrenz[ae]|datas? comemorativas?)\b/i;

export type SkipReason = (typeof SKIP_REASONS)[number];

/** Why an event adds no closed day, or undefined if it may add one. */
export function reasonToSkip(event: ICAL.Component): SkipReason | undefined {
  if (isCancelled(event)) return "cancelled";
  if (isObservance(event)) return "observance";
  if (!isAllDay(event)) return "not_all_day";
  return durationDays(event) > DURATION_MAX_DAYS ? "too_long" : undefined;
}

export function isCancelled(event: ICAL.Component): boolean {
  const status = textOf(event, "status");
  const method = event.parent ? textOf(event.parent, "method") : "";
  return /^cancell?ed$/i.test(status) || /^cancel$/i.test(method);
}

/**
 * Whether the event is a day that is observed while people work. "Independence Day (observed)"
 * isn't one: it is the day on which the holiday is taken.
 */
function isObservance(event: ICAL.Component): boolean {
  const categories = event
    .getAllProperties("categories")
    .flatMap((property) => property.getValues().map(String));
  return [...categories, textOf(event, "description")].some((text) => OBSERVANCE.test(text.trim()));
}

/** An event from midnight to midnight counts as all-day unless it names a time zone. */
function isAllDay(event: ICAL.Component): boolean {
  const start = event.getFirstPropertyValue("dtstart");
  if (!(start instanceof ICAL.Time)) return false;
  if (start.isDate || /^true$/i.test(textOf(event, "x-microsoft-cdo-alldayevent"))) return true;
  const end = event.getFirstPropertyValue("dtend");
  const isMidnight = (at: ICAL.Time) => at.hour === 0 && at.minute === 0 && at.second === 0;
  const isUtc = start.zone === ICAL.Timezone.utcTimezone;
  return (
    !isUtc &&
    end instanceof ICAL.Time &&
    isMidnight(start) &&
    isMidnight(end) &&
    dayOf(end) > dayOf(start)
  );
}

function durationDays(event: ICAL.Component): number {
  const start = event.getFirstPropertyValue("dtstart");
  const end = event.getFirstPropertyValue("dtend");
  const duration = event.getFirstPropertyValue("duration");
  if (end instanceof ICAL.Time && start instanceof ICAL.Time)
    return daysIn(dayOf(end) - dayOf(start));
  return duration instanceof ICAL.Duration ? daysIn(duration.toSeconds() * 1000) : 1;
}

/**
 * The days of an all-day event, or undefined if its recurrence is not supported. `moved` are the
 * days of occurrences that other events replace.
 */
export function daysOf(
  event: ICAL.Component,
  window: Window,
  moved: ReadonlySet<string>,
): string[] | undefined {
  const start = event.getFirstPropertyValue("dtstart");
  if (!(start instanceof ICAL.Time) || event.hasProperty("exrule")) return undefined;
  const rules = event.getAllProperties("rrule").map((property) => property.getFirstValue());
  const first = dayOf(start);
  const startDays = event.hasProperty("rdate") || rules.length === 0 ? [first] : [];
  for (const rule of rules) {
    const found = rule instanceof ICAL.Recur ? occurrencesOf(rule, start, window) : undefined;
    const isEndless = rule instanceof ICAL.Recur && !rule.count && !rule.until;
    if (!found || (found.length === 0 && isEndless)) return undefined;
    startDays.push(...found);
  }
  for (const date of namedDates(event, "rdate")) startDays.push(Date.parse(`${date}T00:00:00Z`));
  const excluded = new Set([...namedDates(event, "exdate"), ...moved]);
  const duration = durationDays(event);
  return [...new Set(startDays)]
    .filter((at) => !excluded.has(new Date(at).toISOString().slice(0, 10)))
    .flatMap((at) => daysFrom(at, duration));
}

/**
 * The occurrence that an event replaces, by series and day. `isRange` means that it replaces all
 * later ones, too.
 */
export function replacedBy(
  event: ICAL.Component,
): { uid: string; day: string; isRange: boolean } | undefined {
  const property = event.getFirstProperty("recurrence-id");
  if (!property) return undefined;
  const [day = ""] = datesOf(property);
  return { uid: uidOf(event), day, isRange: property.getParameter("range") !== undefined };
}

/**
 * The key that an event shares with its other versions, and its sequence: the highest one is valid.
 * Undefined without a UID.
 */
export function versionOf(event: ICAL.Component): { key: string; sequence: number } | undefined {
  const uid = uidOf(event);
  const sequence = Number(textOf(event, "sequence") || 0);
  return uid === "" ? undefined : { key: `${uid} ${replacedBy(event)?.day ?? ""}`, sequence };
}

export function uidOf(event: ICAL.Component): string {
  return textOf(event, "uid");
}

function namedDates(event: ICAL.Component, name: string): string[] {
  return event.getAllProperties(name).flatMap(datesOf);
}

/** The property's dates as YYYY-MM-DD; its values may be dates, times or periods. */
function datesOf(property: ICAL.Property): string[] {
  const [, , , ...values] = property.jCal as unknown[];
  return values.map((value) => String(value).slice(0, 10));
}

function textOf(component: ICAL.Component, name: string): string {
  return String(component.getFirstPropertyValue(name) ?? "").trim();
}

function dayOf({ year, month, day }: ICAL.Time): number {
  return Math.round(Date.UTC(year, month - 1, day) / DAY_MS) * DAY_MS;
}
