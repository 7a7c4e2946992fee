import type { Rule } from "../rules.ts";

/**
 * Numbers days so that the difference of two numbers is the number of business days between them.
 * The argument is in days since 1970-01-01. A non-business day has the number of the next business
 * day.
 */
export type BusinessDays = (day: number) => number;

/**
 * The days on which a calendar is open: weekdays (ISO 8601: 1 is Monday), and exceptions as days
 * since 1970-01-01, in ascending order.
 */
export type OpenDays = {
  weekdays: readonly number[];
  opened: readonly number[];
  closed: readonly number[];
};

/** 1970-01-01 was a Thursday. */
const MONDAY_BEFORE_1970 = 3;

/**
 * The business days of a calendar. Calendars that are open on the same days give the same numbers.
 */
export function businessDaysOf({ weekdays, opened, closed }: OpenDays): BusinessDays {
  const isOpen = (weekday: number) => weekdays.includes(weekday + 1);
  const before = Array.from(
    { length: 8 },
    (_, weekday) =>
      [0, 1, 2, 3, 4, 5, 6].filter((value) => value < weekday && isOpen(value)).length,
  );
  const daysPerWeek = before[7] as number;
  const extraDays = opened.filter((day) => !isOpen(weekdayOf(day)));
  const missingDays = closed.filter((day) => isOpen(weekdayOf(day)));
  return (day) =>
    Math.floor((day + MONDAY_BEFORE_1970) / 7) * daysPerWeek +
    (before[weekdayOf(day)] as number) +
    countBefore(extraDays, day) -
    countBefore(missingDays, day);
}

/** Monday to Friday, without holidays: used if the caller has no calendar. */
export const mondayToFriday = businessDaysOf({ weekdays: [1, 2, 3, 4, 5], opened: [], closed: [] });

/** How a rule numbers days: business days or calendar days. */
export function daysOf(rule: Rule, businessDays: BusinessDays): (day: number) => number {
  return rule.day_kind === "business" ? businessDays : (day) => day;
}

/** 0 is Monday. */
function weekdayOf(day: number): number {
  return (((day + MONDAY_BEFORE_1970) % 7) + 7) % 7;
}

function countBefore(days: readonly number[], day: number): number {
  let from = 0;
  let to = days.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((days[middle] as number) < day) from = middle + 1;
    else to = middle;
  }
  return from;
}
