import ICAL from "ical.js";
import { describe, expect, it, vi } from "vitest";
import { calendarThreads } from "./calendar-tasks.ts";
import { readDays, writeDays } from "./ics.ts";

const file = (...events: string[][]) =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    ...events.flatMap((lines) => ["BEGIN:VEVENT", ...lines, "END:VEVENT"]),
    "END:VCALENDAR",
    "",
  ].join("\r\n");

/** The message with which a file is rejected, or null if it is read. */
function refusalOf(text: string): string | null {
  try {
    readDays(text, 2026);
    return null;
  } catch (error) {
    return (error as { errors?: { message: string }[] }).errors?.[0]?.message ?? String(error);
  }
}

describe("an ICS file", () => {
  it("returns the days that were written", () => {
    const special_days = [
      {
        date: "2026-12-24",
        name: "Christmas Eve; till noon, then closed",
        intervals: [{ from: "09:00", to: "12:00" }],
      },
      {
        date: "2026-12-25",
        name:
          "Erster Weihnachtsfeiertag, an dem in Frankfurt " +
          "und allen anderen Orten niemand arbeitet",
        intervals: [],
      },
    ];
    const text = writeDays({
      id: "cal_1",
      name: "Office",
      updated_at: "2026-11-20T09:30:00.000Z",
      special_days,
    });
    expect(text.split("\r\n").every((line) => new TextEncoder().encode(line).length <= 75)).toBe(
      true,
    );
    expect(readDays(text, 2026)).toEqual({ special_days, skipped: 0, skipped_events: [] });
  });

  it("counts each day of an event over several days, excluding its end", () => {
    const text = file([
      "DTSTART;VALUE=DATE:20261230",
      "DTEND;VALUE=DATE:20270102",
      "SUMMARY:Closed",
    ]);
    expect(readDays(text, 2026).special_days.map(({ date }) => date)).toEqual([
      "2026-12-30",
      "2026-12-31",
      "2027-01-01",
    ]);
  });

  it("repeats yearly events for five years, a leap day only in leap years", () => {
    const dates = (...lines: string[]) =>
      readDays(file(lines), 2026).special_days.map(({ date }) => date);
    expect(dates("DTSTART;VALUE=DATE:20251225", "RRULE:FREQ=YEARLY")).toHaveLength(7);
    expect(dates("DTSTART;VALUE=DATE:20240229", "RRULE:FREQ=YEARLY")).toEqual(["2028-02-29"]);
    expect(dates("DTSTART;VALUE=DATE:20251225", "RRULE:FREQ=YEARLY;COUNT=2")).toEqual([
      "2025-12-25",
      "2026-12-25",
    ]);
    expect(
      dates(
        "DTSTART;VALUE=DATE:20251225",
        "RRULE:FREQ=YEARLY;UNTIL=20261231",
        "EXDATE;VALUE=DATE:20251225",
      ),
    ).toEqual(["2026-12-25"]);
  });

  it("skips and counts events that are not all-day or recur in an unsupported way", () => {
    const text = file(
      ["DTSTART:20261225T090000Z", "SUMMARY:A meeting"],
      ["DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"],
      ["DTSTART;VALUE=DATE:20260101", "RRULE:FREQ=DAILY"],
    );
    expect(readDays(text, 2026)).toEqual({
      special_days: [],
      skipped: 3,
      skipped_events: [
        { line: 3, name: "A meeting", reason: "not_all_day" },
        { line: 7, name: null, reason: "recurrence" },
        { line: 11, name: null, reason: "recurrence" },
      ],
    });
  });

  it.each<[string, string[], string[]]>([
    ["the last Monday of May", ["20210531", "YEARLY;BYMONTH=5;BYDAY=-1MO"], ["05-25"]],
    ["the fourth Thursday of November", ["20211125", "YEARLY;BYMONTH=11;BYDAY=4TH"], ["11-26"]],
    ["a day of a month", ["20211225", "YEARLY;BYMONTH=12;BYMONTHDAY=25"], ["12-25"]],
    [
      "the last day of two months",
      ["20250331", "MONTHLY;BYMONTH=3,6;BYMONTHDAY=-1"],
      ["03-31", "06-30"],
    ],
    [
      "the Monday from 8 to 14 October",
      ["20211011", "YEARLY;BYMONTH=10;BYDAY=MO;BYMONTHDAY=8,9,10,11,12,13,14"],
      ["10-12"],
    ],
    [
      "the last working day of December",
      ["20211231", "YEARLY;BYMONTH=12;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"],
      ["12-31"],
    ],
    [
      "the last working day of each quarter's last month",
      ["20260331", "MONTHLY;INTERVAL=3;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1"],
      ["03-31", "06-30", "09-30", "12-31"],
    ],
    [
      "30 February, and 25 December",
      ["20211225", "YEARLY;BYMONTH=2,12;BYMONTHDAY=25,30"],
      ["02-25", "12-25", "12-30"],
    ],
    ["the 20th Monday of the year", ["20250519", "YEARLY;BYDAY=20MO"], ["05-18"]],
    [
      "the day before the last of the year",
      ["20251230", "YEARLY;BYYEARDAY=-2;BYHOUR=0"],
      ["12-30"],
    ],
    ["three days in a row", ["20261228", "DAILY;COUNT=3"], ["12-28", "12-29", "12-30"]],
    [
      "the first three Mondays and Fridays",
      ["20260803", "WEEKLY;BYDAY=MO,FR;COUNT=3"],
      ["08-03", "08-07", "08-10"],
    ],
    [
      "the fifth and last of a count",
      ["20220103", "YEARLY;BYMONTH=1;BYDAY=1MO;COUNT=5"],
      ["01-05"],
    ],
    ["no occurrence past its count", ["20210104", "YEARLY;BYMONTH=1;BYDAY=1MO;COUNT=5"], []],
    [
      "no occurrence outside leap years",
      ["20240229", "YEARLY;BYMONTH=2;BYMONTHDAY=29;COUNT=2"],
      [],
    ],
  ])("finds %s in 2026", (_what, [start = "", rule = ""], days) => {
    const text = file([`DTSTART;VALUE=DATE:${start}`, `RRULE:FREQ=${rule}`]);
    const { special_days, skipped } = readDays(text, 2026);
    const found = special_days.map(({ date }) => date).filter((date) => date.startsWith("2026"));
    expect(found).toEqual(days.map((day) => `2026-${day}`));
    expect(skipped).toBe(0);
  });

  it("moves and cancels single occurrences, and leaves out excluded ones", () => {
    const text = file(
      [
        "UID:1",
        "DTSTART;VALUE=DATE:20241226",
        "SUMMARY:Boxing Day",
        "RRULE:FREQ=YEARLY",
        "EXDATE;VALUE=DATE:20291226",
      ],
      ["UID:1", "RECURRENCE-ID;VALUE=DATE:20261226", "DTSTART;VALUE=DATE:20261228"],
      ["UID:1", "RECURRENCE-ID:20281226", "DTSTART;VALUE=DATE:20281226", "STATUS:CANCELLED"],
      ["UID:2", "DTSTART;VALUE=DATE:20260430", "SUMMARY:Founders day", "STATUS:CANCELLED"],
      [
        "UID:3",
        "DTSTART;VALUE=DATE:20260501",
        "RDATE;VALUE=DATE:20260701,20260801",
        "DURATION:P2D",
      ],
    );
    const { special_days, skipped_events } = readDays(text, 2026);
    expect(special_days.map(({ date }) => date)).toEqual([
      "2025-12-26",
      "2026-05-01",
      "2026-05-02",
      "2026-07-01",
      "2026-07-02",
      "2026-08-01",
      "2026-08-02",
      "2026-12-28",
      "2027-12-26",
      "2030-12-26",
      "2031-12-26",
    ]);
    expect(skipped_events).toEqual([{ line: 21, name: "Founders day", reason: "cancelled" }]);
  });

  it("reads the latest version of an event, and all events that share a UID", () => {
    const text = file(
      ["UID:1", "SEQUENCE:0", "DTSTART;VALUE=DATE:20261224"],
      ["UID:1", "SEQUENCE:2", "DTSTART;VALUE=DATE:20261223"],
      ["UID:2", "DTSTART;VALUE=DATE:20260101"],
      ["UID:2", "DTSTART;VALUE=DATE:20260501"],
    );
    const { special_days, skipped } = readDays(text, 2026);
    expect(special_days.map(({ date }) => date)).toEqual([
      "2026-01-01",
      "2026-05-01",
      "2026-12-23",
    ]);
    expect(skipped).toBe(0);
  });

  it("reports a series that changes from one day on as unsupported", () => {
    const text = file(
      ["UID:1", "DTSTART;VALUE=DATE:20260101", "SUMMARY:New Year", "RRULE:FREQ=YEARLY"],
      [
        "UID:1",
        "RECURRENCE-ID;RANGE=THISANDFUTURE;VALUE=DATE:20270101",
        "DTSTART;VALUE=DATE:20270102",
        "SUMMARY:Later",
      ],
    );
    const { special_days, skipped_events } = readDays(text, 2026);
    expect(special_days).toEqual([]);
    expect(skipped_events.map(({ name }) => name)).toEqual(["New Year", "Later"]);
  });

  it("keeps observances apart from holidays", () => {
    const day = (date: string, ...lines: string[]) => [
      `DTSTART;VALUE=DATE:${date}`,
      `SUMMARY:${date}`,
      ...lines,
    ];
    const text = file(
      day("20260214", "DESCRIPTION:Observance\\nTo hide observances, go to settings"),
      day("20260508", "CATEGORIES:Gedenktag"),
      day("20260703", "DESCRIPTION:Public holiday"),
      ["DTSTART;VALUE=DATE:20270705", "SUMMARY:Independence Day (observed)"],
    );
    const { special_days, skipped_events } = readDays(text, 2026);
    expect(special_days.map(({ date }) => date)).toEqual(["2026-07-03", "2027-07-05"]);
    expect(skipped_events.map(({ reason }) => reason)).toEqual(["observance", "observance"]);
  });

  it("treats midnight to midnight as a whole day, unless it is in UTC", () => {
    const text = file(
      ["DTSTART:20260501T000000", "DTEND:20260502T000000"],
      ["DTSTART;TZID=Europe/Berlin:20261003T000000", "DTEND;TZID=Europe/Berlin:20261004T000000"],
      ["DTSTART:20261225T000000Z", "DTEND:20261226T000000Z"],
    );
    const { special_days, skipped } = readDays(text, 2026);
    expect(special_days.map(({ date }) => date)).toEqual(["2026-05-01", "2026-10-03"]);
    expect(skipped).toBe(1);
  });

  it("expands the rules of a hostile file in bounded time", () => {
    const rules = [
      "YEARLY;BYMONTH=2;BYMONTHDAY=30",
      "YEARLY;COUNT=100000;BYDAY=MO,TU,WE,TH,FR,SA,SU",
      "MONTHLY;COUNT=100000;BYDAY=5MO;BYMONTHDAY=1",
      "DAILY;UNTIL=99991231",
    ];
    const events = Array.from({ length: 2000 }, (_, nth) => [
      "DTSTART;VALUE=DATE:16040101",
      `RRULE:FREQ=${rules[nth % rules.length]}`,
    ]);
    const startedAt = process.cpuUsage();
    readDays(file(...events), 2026);
    const { user, system } = process.cpuUsage(startedAt);
    expect((user + system) / 1e6).toBeLessThan(5);
  });

  it("is read in bounded time and space", () => {
    const day = (n: number) =>
      `${2000 + Math.floor(n / 300)}${String(1 + (n % 12)).padStart(2, "0")}${String(1 + (n % 25)).padStart(2, "0")}`;
    const hostile = Array.from({ length: 3000 }, (_, n) => [
      `DTSTART;VALUE=DATE:${day(n)}`,
      "RRULE:FREQ=YEARLY",
      `X:${n}`,
    ]);
    const long = ["DTSTART;VALUE=DATE:16010101", "DTEND;VALUE=DATE:99991231", "RRULE:FREQ=YEARLY"];
    const { special_days, skipped } = readDays(file(long, ...hostile), 2026);
    expect(special_days.length).toBeLessThanOrEqual(1000);
    expect(skipped).toBeGreaterThan(1000);
  });

  it("expands a recurrence from long ago only from last year on", () => {
    const leapYearChecks = vi.spyOn(ICAL.Time, "isLeapYear");
    expect(
      readDays(file(["DTSTART;VALUE=DATE:16040229", "RRULE:FREQ=YEARLY"]), 2026).special_days,
    ).toHaveLength(1);
    expect(leapYearChecks.mock.calls.length).toBeLessThan(20);
    leapYearChecks.mockRestore();
  });

  it("counts occurrences before the window against COUNT", () => {
    const dates = (...lines: string[]) =>
      readDays(file(lines), 2026).special_days.map(({ date }) => date);
    expect(dates("DTSTART;VALUE=DATE:20200101", "RRULE:FREQ=YEARLY;INTERVAL=2;COUNT=5")).toEqual([
      "2026-01-01",
      "2028-01-01",
    ]);
    expect(dates("DTSTART;VALUE=DATE:20160229", "RRULE:FREQ=YEARLY;COUNT=4")).toEqual([
      "2028-02-29",
    ]);
    expect(dates("DTSTART;VALUE=DATE:20160229", "RRULE:FREQ=YEARLY;COUNT=3")).toEqual([]);
  });

  it.each([
    ["a date of letters", "DTSTART;VALUE=DATE:XXXXXXXX", "DTSTART XXXXXXXX is not a date"],
    ["four digits", "DTSTART;VALUE=DATE:2026", "DTSTART 2026 is not a date"],
    ["a negative year", "DTSTART;VALUE=DATE:-0010101", "DTSTART -0010101 is not a date"],
    ["30 February", "DTSTART;VALUE=DATE:20260230", "DTSTART 20260230 is not a date"],
    ["month 13", "DTSTART;VALUE=DATE:20261301", "DTSTART 20261301 is not a date"],
    ["the year 1", "DTSTART:00010101", "DTSTART 00010101 is too early"],
    ["an end that isn't a date", "DTEND;VALUE=DATE:20260431", "DTEND 20260431 is not a date"],
    [
      "an EXDATE that is not a date",
      "EXDATE;VALUE=DATE:20260101,XXXXXXXX",
      "EXDATE XXXXXXXX is not a date",
    ],
    [
      "an UNTIL that isn't a date",
      "RRULE:FREQ=YEARLY;UNTIL=XXXXXXXX",
      "UNTIL XXXXXXXX is not a date",
    ],
    ["an unknown frequency", "RRULE:FREQ=NEVER", "RRULE can't be read"],
    ["a rule without values", "RRULE:FREQ=YEARLY;UNTIL", "RRULE can't be read"],
  ])("with %s is rejected, naming the line and the fix", (_what, line, message) => {
    expect(refusalOf(file(["SUMMARY:Folded", " over two lines", line]))).toMatch(
      new RegExp(`^Line 6: ${message}.* (?:Write|Use) .*(?:20\\d{6}|9999)`),
    );
  });

  it("names the line at which an unreadable event begins", () => {
    const sound = ["DTSTART;VALUE=DATE:20260101"];
    expect(refusalOf(file(sound, ["DTSTART;VALUE=DURATION:20260101"]))).toMatch(
      /^Line 6: The event that begins here can't be read/,
    );
  });

  it("rejects too many dates in EXDATE, folded lines included", () => {
    const dates = (count: number) => Array.from({ length: count }, () => "20260101").join(",");
    const text = (count: number) =>
      file([
        "DTSTART;VALUE=DATE:20260102",
        `EXDATE:${dates(count)},`,
        " 20260101",
        "SUMMARY:EXDATE:1,2,3",
      ]);
    expect(refusalOf(text(1999))).toBeNull();
    expect(refusalOf(text(2000))).toMatch(/^Line 5: A file can have at most 2,000 dates/);
  });

  it("cuts a long summary without splitting a character", () => {
    const text = file(
      ["DTSTART;VALUE=DATE:20260101", `SUMMARY:${"x".repeat(199)}😀`],
      ["DTSTART;VALUE=DATE:20260102", "SUMMARY:\u200B"],
    );
    expect(readDays(text, 2026).special_days.map(({ name }) => name)).toEqual([
      "x".repeat(199),
      null,
    ]);
  });

  it("rejects text that is not iCalendar", () => {
    expect(refusalOf("date,name\n2026-12-25,Christmas")).toMatch(/^Must be an iCalendar file/);
  });

  it("returns the same days and errors from a worker thread", async () => {
    const ask = (ics: string) => calendarThreads().run({ kind: "days", ics, year: 2026 });
    const sound = file(["DTSTART;VALUE=DATE:20261225", "SUMMARY:Christmas Day"]);
    const answer = ask(sound);
    expect(calendarThreads().tasks).toBe(1);
    expect(await answer).toEqual(readDays(sound, 2026));
    await expect(ask(file(["DTSTART:20260230"]))).rejects.toMatchObject({
      code: "invalid_request",
      errors: [{ path: "ics" }],
    });
  });
});
