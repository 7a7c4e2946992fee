import type { Rule } from "../rules.ts";

/**
 * The number of business days before a day (days since 1970-01-01), so that a difference of two is
 * a number of business days. A non-business day has the number of the next business day.
 */
export type BusinessDays = (day: number) => number;

/**
 * The days on which a calendar opens: weekdays (ISO 8601: 1 is Monday), and days since 1970-01-01
 * that are otherwise, in rising order.
 */
export type OpenDays = {
  weekdays: readonly number[];
  opened: readonly number[];
  closed: readonly number[];
};

/** 1970-01-01 was a Thursday. */
const MONDAY_BEFORE_1970 = 3;

/**
 * The business days of a calendar. Equal days give equal numbers, whatever else the calendar says.
 */
export function businessDaysOf({ weekdays, opened, closed }: OpenDays): BusinessDays {
  const isWorked = (weekday: number) => weekdays.includes(weekday + 1);
  const before = Array.from(
    { length: 8 },
    (_, weekday) =>
      [0, 1, 2, 3, 4, 5, 6].filter((value) => value < weekday && isWorked(value)).length,
  );
  const week = before[7] as number;
  const added = opened.filter((day) => !isWorked(weekdayOf(day)));
  const taken = closed.filter((day) => isWorked(weekdayOf(day)));
  return (day) =>
    Math.floor((day + MONDAY_BEFORE_1970) / 7) * week +
    (before[weekdayOf(day)] as number) +
    countBefore(added, day) -
    countBefore(taken, day);
}

/** Monday to Friday, without holidays: used if the caller has no calendar. */
export const mondayToFriday = businessDaysOf({ weekdays: [1, 2, 3, 4, 5], opened: [], closed: [] });

/** The days that a rule counts in. */
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
