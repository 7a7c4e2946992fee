import fc from "fast-check";
import { expect, test } from "vitest";
import { dateReader, eightDigitDay, sixDigitDay } from "./dates.ts";
import { DATE_FORMATS } from "./mapping.ts";

const pad = (value: number, length = 2) => String(value).padStart(length, "0");

test("a day is read if and only if the calendar has it, in every format", () => {
  const numeric = DATE_FORMATS.filter(
    (format) => !format.startsWith("unix") && !format.includes("MMM"),
  );
  const readers = numeric.map((format) => [format, dateReader(format, "UTC")] as const);
  fc.assert(
    fc.property(
      fc.integer({ min: 1980, max: 2079 }),
      fc.integer({ min: 0, max: 14 }),
      fc.integer({ min: 0, max: 33 }),
      (year, month, day) => {
        const date = new Date(Date.UTC(year, month - 1, day));
        const exists = month >= 1 && month <= 12 && day >= 1 && date.getUTCMonth() === month - 1;
        const expected = exists ? `${year}-${pad(month)}-${pad(day)}` : null;
        for (const [format, read] of readers) {
          const text = format
            .replace("YYYY", String(year))
            .replace("YY", pad(year % 100))
            .replace("MM", pad(month))
            .replace("DD", pad(day));
          expect([format, text, read(text)]).toEqual([format, text, expected]);
        }
        expect(sixDigitDay(pad(year % 100) + pad(month) + pad(day))).toBe(expected);
        expect(eightDigitDay(year + pad(month) + pad(day))).toBe(expected);
      },
    ),
    { numRuns: 1_000 },
  );
});

test.each([
  ["DD MMM YYYY", "5 März 2026", "2026-03-05"],
  ["DD MMM YYYY", "05 août 2026", "2026-08-05"],
  ["DD-MMM-YY", "05-DEC-26", "2026-12-05"],
  ["MMM DD, YYYY", "Jan. 5, 2026", "2026-01-05"],
  ["DD MMM YYYY", "05 Foo 2026", null],
  ["DD.MM.YYYY", "5.1.2026", "2026-01-05"],
  ["DD.MM.YYYY", "5.1.26", null],
  ["DDMMYYYY", "5012026", null],
  ["YYYY-MM-DD", "2026-01-05T10:00:00+05:30", "2026-01-05"],
  ["YYYY-MM-DD", "2026-01-05T24:00:00Z", null],
  ["YYYY-MM-DD", "2026-01-05 and more", null],
  ["YYYY-MM-DD", " 2026-01-05", null],
  ["MM/DD/YYYY", "1/5/2026 11:59 PM", "2026-01-05"],
  ["unix_seconds", "1767571199", "2026-01-05"],
  ["unix_ms", "1767571199000", "2026-01-05"],
  ["unix_seconds", "1767571199000", null],
] as const)("as %s, %s is %s in Tokyo", (format, text, expected) => {
  expect(dateReader(format, "Asia/Tokyo")(text)).toBe(expected);
});

test("a time in UTC becomes the day of the time zone, across its change to summer time", () => {
  const read = dateReader("YYYY-MM-DD", "Europe/Berlin");
  expect(
    [
      "2026-03-28T22:59:59Z",
      "2026-03-28T23:00:00Z",
      "2026-03-29T21:59:59Z",
      "2026-03-29T22:00:00Z",
    ].map(read),
  ).toEqual(["2026-03-28", "2026-03-29", "2026-03-29", "2026-03-30"]);
  expect(dateReader("MM/DD/YYYY", "America/New_York")("01/05/2026 12:30 AM UTC")).toBe(
    "2026-01-04",
  );
});

test.each([
  ["YYYY-MM-DD", "2026-10-02T00:00:00.000Z", "2026-10-02"],
  ["YYYY-MM-DD", "2026-10-02T00:00:00+00:00", "2026-10-02"],
  ["YYYY-MM-DD", "2026-10-02T00:00:01Z", "2026-10-01"],
  ["unix_seconds", "1790899200", "2026-10-02"],
  ["unix_ms", "1790899200001", "2026-10-01"],
] as const)(
  "midnight in UTC is a day without a time, also in New York: %s %s",
  (format, text, day) => {
    expect(dateReader(format, "America/New_York")(text)).toBe(day);
  },
);
