import { expect, test } from "vitest";
import { nextPeriod } from "./next-period.ts";

const next = (period_start: string, period_end: string, name = "Debtors") =>
  nextPeriod({ name, period_start, period_end });

test.each([
  ["a month after a month", "2026-10-01", "2026-10-31", "2026-11-01", "2026-11-30"],
  ["February of a leap year", "2028-01-01", "2028-01-31", "2028-02-01", "2028-02-29"],
  ["January after December", "2026-12-01", "2026-12-31", "2027-01-01", "2027-01-31"],
  ["a quarter after a quarter", "2026-07-01", "2026-09-30", "2026-10-01", "2026-12-31"],
  ["a year after a year", "2027-01-01", "2027-12-31", "2028-01-01", "2028-12-31"],
  ["a month that starts on the 15th", "2026-01-15", "2026-02-14", "2026-02-15", "2026-03-14"],
  ["a week after a week", "2026-10-26", "2026-11-01", "2026-11-02", "2026-11-08"],
  ["a day after a day", "2026-10-31", "2026-10-31", "2026-11-01", "2026-11-01"],
  ["as many days of an odd span", "2026-10-01", "2026-10-10", "2026-10-11", "2026-10-20"],
  ["as many days from the 31st", "2026-03-31", "2026-04-29", "2026-04-30", "2026-05-29"],
])("proposes %s", (_, start, end, period_start, period_end) => {
  expect(next(start, end)).toMatchObject({ period_start, period_end });
});

test.each([
  ["Debtors, November 2026", "Debtors, December 2026"],
  ["November 2026 debtors", "December 2026 debtors"],
  ["Ernst November GmbH, November 2026", "Ernst November GmbH, December 2026"],
  ["Debtors Nov 2026", "Debtors Dec 2026"],
  ["Debtors 2026-11", "Debtors 2026-12"],
  ["11/2026 Debtors", "12/2026 Debtors"],
  ["Debtors November", "Debtors December"],
  ["Debtors, 1–30 Nov 2026", "Debtors, 1–31 Dec 2026"],
  ["Debtors", "Debtors, December 2026"],
  ["Novembers", "Novembers, December 2026"],
])("names the month after %s: %s", (name, expected) => {
  expect(next("2026-11-01", "2026-11-30", name).name).toBe(expected);
});

test.each([
  ["2026-10-01", "2026-12-31", "VAT Q4 2026", "VAT Q1 2027"],
  ["2026-10-01", "2026-12-31", "2026-Q4", "2027-Q1"],
  ["2026-08-01", "2026-10-31", "Season", "Season, 1 Nov 2026 – 31 Jan 2027"],
  ["2026-01-01", "2026-12-31", "Tax 2026", "Tax 2027"],
  ["2026-10-26", "2026-11-01", "Tills, 26 Oct – 1 Nov 2026", "Tills, 2–8 Nov 2026"],
  ["2026-09-01", "2026-09-30", "Sep 2026", "Oct 2026"],
  ["2026-12-01", "2026-12-31", "2026-12", "2027-01"],
])("names the period after %s to %s, %s: %s", (start, end, name, expected) => {
  expect(next(start, end, name).name).toBe(expected);
});

test("a proposed name is never longer than the limit", () => {
  const { name } = next("2026-11-01", "2026-11-30", "x".repeat(200));
  expect(name).toHaveLength(200);
  expect(name).toMatch(/x, December 2026$/);
});
