import { describe, expect, it } from "vitest";
import { formatDay } from "#components/ui/moment.ts";
import {
  dayKinds,
  formatHours,
  formatWeek,
  formatWeekdayDate,
  monthsFrom,
  weekMinutes,
} from "./hours.ts";

const at = (day: "monday" | "friday" | "saturday" | "sunday", from: string, to: string) => ({
  day,
  from,
  to,
});

describe("a week", () => {
  it("counts overlapping hours once, and hours past Sunday's midnight on Monday", () => {
    expect(weekMinutes([at("monday", "09:00", "17:00"), at("monday", "12:00", "18:00")])).toBe(540);
    expect(weekMinutes([at("sunday", "22:00", "06:00"), at("monday", "05:00", "07:00")])).toBe(540);
    expect(weekMinutes([at("friday", "00:00", "24:00")])).toBe(1440);
    expect(weekMinutes([])).toBe(0);
    expect(weekMinutes([at("monday", "9:", "17:00"), at("friday", "09:00", "10:00")])).toBe(60);
  });

  it("is described in groups of days", () => {
    expect(
      formatWeek([
        at("saturday", "10:00", "14:00"),
        at("sunday", "10:00", "14:00"),
        at("monday", "13:00", "17:00"),
        at("monday", "09:00", "12:00"),
      ]),
    ).toBe("Mon 09:00–12:00, 13:00–17:00; Sat–Sun 10:00–14:00");
    expect(formatHours([])).toBe("Closed");
  });
});

describe("a year", () => {
  it("marks special days in place of the weekly hours", () => {
    const kind = dayKinds({
      weekly: [at("friday", "09:00", "17:00")],
      special_days: [
        { date: "2026-12-25", name: null, intervals: [] },
        { date: "2026-12-26", name: null, intervals: [{ from: "10:00", to: "12:00" }] },
      ],
    });
    expect(["2026-12-18", "2026-12-19", "2026-12-25", "2026-12-26"].map(kind)).toEqual([
      "open",
      "closed",
      "closed_day",
      "other_hours",
    ]);
  });

  it("has twelve months, including leap days", () => {
    const months = monthsFrom("2027-11-22", 12);
    expect(months.map(({ days }) => days.length)).toEqual([
      30, 31, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31,
    ]);
    expect(months[0]).toMatchObject({ name: "November 2027", blanks: 0 });
    expect(months[3]?.days.at(-1)).toBe("2028-02-29");
    expect(formatWeekdayDate("2026-12-25")).toBe("Fri 25 Dec 2026");
    // Locales abbreviate September in two ways: this is the one used everywhere.
    expect(formatWeekdayDate("2026-09-25")).toBe(`Fri ${formatDay("2026-09-25", "UTC")}`);
  });
});
