import { describe, expect, it } from "vitest";
import { namedDatesIn, readDays, writeDays } from "./ics.ts";

const file = (...events: string[][]) =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", ...events.flatMap((lines) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"]), "END:VCALENDAR", ""].join(
    "\r\n",
  );

describe("an ICS file", () => {
  it("gives back the days that were written", () => {
    const special_days = [
      { date: "2026-12-24", name: "Christmas Eve; till noon, then closed", intervals: [{ from: "09:00", to: "12:00" }] },
      {
        date: "2026-12-25",
        name: "Erster Weihnachtsfeiertag, an dem in Frankfurt und allen anderen Orten niemand arbeitet",
        intervals: [],
      },
    ];
    const text = writeDays({ id: "cal_1", name: "Office", updated_at: "2026-11-20T09:30:00.000Z", special_days });
    expect(text.split("\r\n").every((line) => new TextEncoder().encode(line).length <= 75)).toBe(true);
    expect(readDays(text, 2026)).toEqual({ special_days, skipped: 0 });
  });

  it("counts each day of an event of several, its end excluded", () => {
    const text = file(["DTSTART;VALUE=DATE:20261230", "DTEND;VALUE=DATE:20270102", "SUMMARY:Closed"]);
    expect(readDays(text, 2026)?.special_days.map(({ date }) => date)).toEqual(["2026-12-30", "2026-12-31", "2027-01-01"]);
  });

  it("repeats yearly events for five years, a leap day in leap years", () => {
    const dates = (...lines: string[]) => readDays(file(lines), 2026)?.special_days.map(({ date }) => date);
    expect(dates("DTSTART;VALUE=DATE:20251225", "RRULE:FREQ=YEARLY")).toHaveLength(7);
    expect(dates("DTSTART;VALUE=DATE:20240229", "RRULE:FREQ=YEARLY")).toEqual(["2028-02-29"]);
    expect(dates("DTSTART;VALUE=DATE:20251225", "RRULE:FREQ=YEARLY;COUNT=2")).toEqual(["2025-12-25", "2026-12-25"]);
    expect(dates("DTSTART;VALUE=DATE:20251225", "RRULE:FREQ=YEARLY;UNTIL=20261231", "EXDATE;VALUE=DATE:20251225")).toEqual(["2026-12-25"]);
  });

  it("skips and counts what is no whole day, or recurs in a way it does not know", () => {
    const text = file(
      ["DTSTART:20261225T090000Z", "SUMMARY:A meeting"],
      ["DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"],
      ["DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY"],
    );
    expect(readDays(text, 2026)).toEqual({ special_days: [], skipped: 3 });
  });

  it("is read in bounded time and space", () => {
    const day = (n: number) =>
      `${2000 + Math.floor(n / 300)}${String(1 + (n % 12)).padStart(2, "0")}${String(1 + (n % 25)).padStart(2, "0")}`;
    const hostile = Array.from({ length: 3000 }, (_, n) => [`DTSTART;VALUE=DATE:${day(n)}`, "RRULE:FREQ=YEARLY", `X:${n}`]);
    const long = ["DTSTART;VALUE=DATE:00010101", "DTEND;VALUE=DATE:99991231", "RRULE:FREQ=YEARLY"];
    const { special_days, skipped } = readDays(file(long, ...hostile), 2026) ?? {};
    expect(special_days?.length).toBeLessThanOrEqual(1000);
    expect(skipped).toBeGreaterThan(1000);
  });

  it("tells how many dates it excludes before they are parsed, folded lines and all", () => {
    expect(namedDatesIn(file(["EXDATE;VALUE=DATE:20260101,20260102", "EXDATE:20260103,", " 20260104", "SUMMARY:EXDATE:1,2,3"]))).toBe(4);
  });

  it("is refused if it is none", () => {
    expect(readDays("date,name\n2026-12-25,Christmas", 2026)).toBeUndefined();
  });
});
