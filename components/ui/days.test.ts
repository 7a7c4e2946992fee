import { expect, test } from "vitest";
import { addDays, addMonths, parseDay, parseDayTime, weeksOf } from "./days.ts";

test.each([
  ["2026-11-26", "2026-11-26"],
  [" 26.11.2026 ", "2026-11-26"],
  ["1. 2. 2026", "2026-02-01"],
  ["26 Nov 2026", "2026-11-26"],
  ["26 November 2026", "2026-11-26"],
  ["Nov 26, 2026", "2026-11-26"],
  ["29 Feb 2028", "2028-02-29"],
  ["29 Feb 2026", null],
  ["31.11.2026", null],
  ["26 Foo 2026", null],
  ["11/26/2026", null],
  ["26 Nov", null],
  ["", null],
])("%j means %j", (text, day) => {
  expect(parseDay(text)).toBe(day);
});

test.each([
  ["26 Nov 2026, 14:30", "2026-11-26T14:30"],
  ["2026-11-26T09:05", "2026-11-26T09:05"],
  ["26.11.2026 9:05", "2026-11-26T09:05"],
  ["Nov 26, 2026, 9:05", "2026-11-26T09:05"],
  ["26 Nov 2026", "2026-11-26T17:00"],
  ["26 Nov 2026, 24:00", null],
  ["26 Nov 2026, 14:60", null],
  ["26 Nov 2026, half past two", null],
  ["14:30", null],
])("%j with a time means %j", (text, moment) => {
  expect(parseDayTime(text, "17:00")).toBe(moment);
});

test("moves by days and months, to the last day of a shorter month", () => {
  expect(addDays("2026-12-31", 1)).toBe("2027-01-01");
  expect(addMonths("2026-01-31", 1)).toBe("2026-02-28");
  expect(addMonths("2026-01-15", -1)).toBe("2025-12-15");
});

test("shows a month in weeks from Monday", () => {
  const weeks = weeksOf("2026-11-26");
  expect(weeks[0]).toEqual([
    "2026-10-26",
    "2026-10-27",
    "2026-10-28",
    "2026-10-29",
    "2026-10-30",
    "2026-10-31",
    "2026-11-01",
  ]);
  expect(weeks.at(-1)?.at(-1)).toBe("2026-12-06");
});
