import type { Rule } from "./rules.ts";

/**
 * The number of business days up to a day (days since 1970-01-01), so that a difference of two is a number of business days. A
 * weekend or a holiday has the number of the business day after it.
 */
export type BusinessDays = (day: number) => number;

const SATURDAY = 2;
const SUNDAY = 3;

/** Monday to Friday, without holidays: what counts where the caller has no calendar. */
export const mondayToFriday: BusinessDays = (day) => {
  // 1970-01-01 was a Thursday.
  const weekday = ((day % 7) + 7) % 7;
  const shifted = weekday === SATURDAY ? day + 2 : weekday === SUNDAY ? day + 1 : day;
  const sinceMonday = shifted + 3;
  return Math.floor(sinceMonday / 7) * 5 + (((sinceMonday % 7) + 7) % 7);
};

/** The days that a rule counts in. */
export function daysOf(rule: Rule, businessDays: BusinessDays): (day: number) => number {
  return rule.day_kind === "business" ? businessDays : (day) => day;
}
