import { formatDay } from "#components/ui/moment.ts";
import { timeOf } from "#components/ui/typed-time.ts";
import { type Interval, type SpecialDay, WEEKDAYS } from "#lib/calendars/contract.ts";

export type Weekday = (typeof WEEKDAYS)[number];
export type Hours = {
  weekly: readonly ({ day: Weekday } & Interval)[];
  special_days: readonly SpecialDay[];
};

/** Open as in any week, closed as in any week, closed on this day alone, or with special hours. */
export type DayKind = "open" | "closed" | "closed_day" | "other_hours";

export const DAY_NAMES: Record<Weekday, string> = {
  monday: "Monday",
  tuesday: "Tuesday",
  wednesday: "Wednesday",
  thursday: "Thursday",
  friday: "Friday",
  saturday: "Saturday",
  sunday: "Sunday",
};

const DAY_MINUTES = 1440;
const WEEK_MINUTES = 7 * DAY_MINUTES;

/** Minutes since midnight of HH:MM, up to 24:00. */
export function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}

/** Whether it ends on the day after the one it starts on. */
export function endsNextDay({ from, to }: Interval): boolean {
  return minutesOf(to) <= minutesOf(from);
}

/** Minutes from the midnight that begins its day; an end after the next midnight exceeds 1440. */
export function stretchOf(interval: Interval): [from: number, to: number] {
  return [
    minutesOf(interval.from),
    minutesOf(interval.to) + (endsNextDay(interval) ? DAY_MINUTES : 0),
  ];
}

/**
 * Open minutes of a week without special days and changes of the clocks. What overlaps counts once.
 */
export function weekMinutes(weekly: Hours["weekly"]): number {
  const stretches = weekly
    .filter(({ from, to }) => timeOf(from) !== undefined && timeOf(to) !== undefined)
    .flatMap(({ day, from, to }) => {
      const [start, end] = stretchOf({ from, to }).map(
        (minute) => minute + WEEKDAYS.indexOf(day) * DAY_MINUTES,
      ) as [number, number];
      return end <= WEEK_MINUTES
        ? [[start, end] as const]
        : [[start, WEEK_MINUTES] as const, [0, end - WEEK_MINUTES] as const];
    })
    .sort(([left], [right]) => left - right);
  let total = 0;
  let until = 0;
  for (const [start, end] of stretches) {
    total += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return total;
}

/** `date`: YYYY-MM-DD. */
export function weekdayOf(date: string): Weekday {
  return WEEKDAYS[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7] as Weekday;
}

/** The data that the year view shows of each day, computed once per set of hours. */
export function dayKinds({ weekly, special_days }: Hours): (date: string) => DayKind {
  const open = new Set(weekly.map(({ day }) => day));
  const special = new Map(special_days.map(({ date, intervals }) => [date, intervals.length]));
  return (date) => {
    const intervals = special.get(date);
    if (intervals === undefined) return open.has(weekdayOf(date)) ? "open" : "closed";
    return intervals === 0 ? "closed_day" : "other_hours";
  };
}

/**
 * A month as a sheet of weeks from Monday: how many cells are blank before its first day, and its
 * days.
 */
export type Month = { name: string; blanks: number; days: string[] };

/** `count` months, beginning with the month of the day `first`, YYYY-MM-DD. */
export function monthsFrom(first: string, count: number): Month[] {
  const [year = 0, month = 1] = first.split("-").map(Number);
  return Array.from({ length: count }, (_, n) => {
    const begins = new Date(Date.UTC(year, month - 1 + n, 1));
    const length = new Date(Date.UTC(year, month + n, 0)).getUTCDate();
    const prefix = begins.toISOString().slice(0, 8);
    return {
      name: begins.toLocaleDateString("en", { month: "long", year: "numeric", timeZone: "UTC" }),
      blanks: (begins.getUTCDay() + 6) % 7,
      days: Array.from({ length }, (__, day) => `${prefix}${String(day + 1).padStart(2, "0")}`),
    };
  });
}

/** "09:00–12:00, 13:00–17:00", "Closed" */
export function formatHours(intervals: readonly Interval[]): string {
  if (intervals.length === 0) return "Closed";
  return [...intervals]
    .sort((left, right) => left.from.localeCompare(right.from))
    .map((interval) => `${interval.from}–${interval.to}`)
    .join(", ");
}

/**
 * "Mon–Fri 09:00–17:00; Sat 10:00–14:00": neighbouring days of the same hours together, closed ones
 * left out.
 */
export function formatWeek(weekly: Hours["weekly"]): string {
  const runs: { first: Weekday; last: Weekday; hours: string }[] = [];
  for (const day of WEEKDAYS) {
    const hours = formatHours(weekly.filter((item) => item.day === day));
    const run = runs.at(-1);
    if (run?.hours === hours) run.last = day;
    else runs.push({ first: day, last: day, hours });
  }
  const short = (day: Weekday) => DAY_NAMES[day].slice(0, 3);
  return runs
    .filter(({ hours }) => hours !== "Closed")
    .map(
      ({ first, last, hours }) =>
        `${first === last ? short(first) : `${short(first)}–${short(last)}`} ${hours}`,
    )
    .join("; ");
}

/** "40 hours", "37 h 30 min" */
export function formatWorkingTime(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  if (minutes % 60 !== 0) return `${hours} h ${minutes % 60} min`;
  return `${hours.toLocaleString("en")} ${hours === 1 ? "hour" : "hours"}`;
}

/** Fri 25 Dec 2026 */
export function formatWeekdayDate(date: string): string {
  return `${DAY_NAMES[weekdayOf(date)].slice(0, 3)} ${formatDay(date, "UTC")}`;
}
