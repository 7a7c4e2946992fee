/**
 * Expands the recurrence of an all-day event (RFC 5545, 3.3.10). ical.js parses the rules, but its
 * own expansion returns 2 March for 30 February, January only for BYMONTHDAY without BYMONTH, and a
 * first day that BYSETPOS excludes.
 */
import type ICAL from "ical.js";
import { DAY_MS } from "./days.ts";

const WEEKDAYS = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];
const PARTS = new Set(["BYMONTH", "BYMONTHDAY", "BYYEARDAY", "BYDAY", "BYSETPOS"]);
/** The parts for times of day, which don't apply to whole days. */
const IGNORED = new Set(["BYHOUR", "BYMINUTE", "BYSECOND"]);
/** The maximum number of values of each part: the 31 days of a month, counted from either end. */
const VALUES_MAX = 62;
/**
 * The maximum occurrences of a daily or weekly rule. Longer series are weekly hours, not special
 * days.
 */
const SHORT_SERIES_MAX = 400;
const MONTHS = Array.from({ length: 12 }, (_, month) => month);

/**
 * `from` and `to` are the first and last day, in milliseconds of UTC. `lookups` is the remaining
 * budget of days to examine, because hostile rules have many.
 */
export type Window = { from: number; to: number; lookups: number };
/** `length` days from `first`. */
type Range = { first: number; length: number };
type Parts = {
  months?: number[];
  monthDays?: number[];
  yearDays?: number[];
  weekdays?: Weekday[];
  positions?: number[];
};
type Weekday = { nth: number; weekday: number };

/** The days of a rule within the window, or undefined if the rule is not supported. */
export function occurrencesOf(
  rule: ICAL.Recur,
  start: ICAL.Time,
  window: Window,
): number[] | undefined {
  if (rule.freq === "DAILY" || rule.freq === "WEEKLY") return shortSeries(rule, start, window);
  const parts = partsOf(rule);
  if (!parts || (rule.freq !== "YEARLY" && rule.freq !== "MONTHLY")) return undefined;
  const isYearly = rule.freq === "YEARLY";
  const { months, monthDays, yearDays } = parts;
  if (yearDays && (!isYearly || months || monthDays)) return undefined;
  const first = Date.UTC(start.year, start.month - 1, start.day);
  const begin = isYearly ? start.year : start.year * 12 + start.month - 1;
  const [from, to] = [window.from, window.to].map((at) => periodOf(at, isYearly)) as [
    number,
    number,
  ];
  const every = Math.max(1, rule.interval);
  const until = rule.until ? dayOf(rule.until) : Number.POSITIVE_INFINITY;
  // Only a rule with COUNT depends on the occurrences before the window.
  let remaining = rule.count ?? Number.POSITIVE_INFINITY;
  let period = begin;
  if (!rule.count && from > begin) period += Math.ceil((from - begin) / every) * every;
  const found: number[] = [];
  for (; period <= to && remaining > 0; period += every) {
    const days = daysOf(period, isYearly, parts, start);
    window.lookups -= days.length + 1;
    if (window.lookups < 0) return undefined;
    for (const day of days) {
      if (day < first) continue;
      if (day > until || remaining-- <= 0) return found;
      if (day >= window.from && day <= window.to) found.push(day);
    }
  }
  return found;
}

/**
 * Lets ical.js expand a rule one occurrence at a time, which is fast only for rules that end soon.
 */
function shortSeries(rule: ICAL.Recur, start: ICAL.Time, window: Window): number[] | undefined {
  const names = Object.keys(rule.parts);
  const isPlain = names.length === 0 || (rule.freq === "WEEKLY" && names.join() === "BYDAY");
  if (!isPlain || (rule.count === null && rule.until === null)) return undefined;
  const found: number[] = [];
  const iterator = rule.iterator(start);
  for (let at = iterator.next(); at; at = iterator.next()) {
    found.push(dayOf(at));
    if (found.length > SHORT_SERIES_MAX || --window.lookups < 0) return undefined;
  }
  return found;
}

function partsOf(rule: ICAL.Recur): Parts | undefined {
  const ruleParts = Object.fromEntries(
    Object.entries(rule.parts as Record<string, (string | number)[]>).filter(
      ([name]) => !IGNORED.has(name),
    ),
  );
  const sizes = Object.values(ruleParts).map((values) => values.length);
  if (
    !Object.keys(ruleParts).every((name) => PARTS.has(name)) ||
    sizes.some((size) => size > VALUES_MAX)
  )
    return undefined;
  const numbers = (name: string) => ruleParts[name]?.map(Number);
  const parts: Parts = {};
  const months = numbers("BYMONTH");
  if (months) parts.months = months.map((month) => month - 1);
  const monthDays = numbers("BYMONTHDAY");
  if (monthDays) parts.monthDays = monthDays;
  const yearDays = numbers("BYYEARDAY");
  if (yearDays) parts.yearDays = yearDays;
  const positions = numbers("BYSETPOS");
  if (positions) parts.positions = positions;
  if (ruleParts.BYDAY) parts.weekdays = ruleParts.BYDAY.map((text) => weekdayOf(String(text)));
  return parts;
}

function weekdayOf(text: string): Weekday {
  return { nth: Number.parseInt(text, 10) || 0, weekday: WEEKDAYS.indexOf(text.slice(-2)) };
}

/** The days of one year or one month, in order. */
function daysOf(period: number, isYearly: boolean, parts: Parts, start: ICAL.Time): number[] {
  const { weekdays, positions } = parts;
  const monthDays = parts.monthDays ?? parts.yearDays;
  const days = rangesOf(period, isYearly, parts, start).flatMap((range) => {
    if (!monthDays && !weekdays) return inRange(range, [start.day]);
    const byMonthDay = monthDays && inRange(range, monthDays);
    if (!weekdays) return byMonthDay ?? [];
    const byWeekday = weekdays.flatMap((weekday) => weekdaysIn(range, weekday));
    return byMonthDay ? byMonthDay.filter((day) => byWeekday.includes(day)) : byWeekday;
  });
  const sorted = [...new Set(days)].sort((left, right) => left - right);
  if (!positions) return sorted;
  const picked = positions.map((at) => sorted.at(at > 0 ? at - 1 : at));
  return [...new Set(picked.filter((day) => day !== undefined))].sort(
    (left, right) => left - right,
  );
}

/** The months that the rule selects, or the whole year, in which weekdays may be counted. */
function rangesOf(period: number, isYearly: boolean, parts: Parts, start: ICAL.Time): Range[] {
  if (!isYearly) {
    const month = period % 12;
    const isSelected = !parts.months || parts.months.includes(month);
    return isSelected ? [monthRange(Math.floor(period / 12), month)] : [];
  }
  if (parts.months) return parts.months.map((month) => monthRange(period, month));
  if (parts.monthDays) return MONTHS.map((month) => monthRange(period, month));
  if (!parts.weekdays && !parts.yearDays) return [monthRange(period, start.month - 1)];
  const first = Date.UTC(period, 0, 1);
  return [{ first, length: (Date.UTC(period + 1, 0, 1) - first) / DAY_MS }];
}

function monthRange(year: number, month: number): Range {
  const first = Date.UTC(year, month, 1);
  return { first, length: (Date.UTC(year, month + 1, 1) - first) / DAY_MS };
}

/**
 * Positive numbers count from the start of the range, negative ones from its end. Days that the
 * range doesn't have are dropped.
 */
function inRange({ first, length }: Range, numbers: number[]): number[] {
  return numbers
    .map((number) => (number > 0 ? number - 1 : length + number))
    .filter((at) => at >= 0 && at < length)
    .map((at) => first + at * DAY_MS);
}

function weekdaysIn({ first, length }: Range, { nth, weekday }: Weekday): number[] {
  const found: number[] = [];
  const lead = (weekday - new Date(first).getUTCDay() + 7) % 7;
  for (let at = lead; at < length; at += 7) found.push(first + at * DAY_MS);
  if (nth === 0) return found;
  const day = found.at(nth > 0 ? nth - 1 : nth);
  return day === undefined ? [] : [day];
}

function periodOf(at: number, isYearly: boolean): number {
  const date = new Date(at);
  return isYearly ? date.getUTCFullYear() : date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function dayOf({ year, month, day }: ICAL.Time): number {
  return Date.UTC(year, month - 1, day);
}
