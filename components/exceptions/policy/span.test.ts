import { expect, test } from "vitest";
import { formatSpan, minutesOf, spanOf } from "./span.ts";

test.each([
  [1, "1 minute"],
  [90, "90 minutes"],
  [60, "1 hour"],
  [240, "4 hours"],
  [1440, "1 day"],
  [4320, "3 days"],
  [525_600, "365 days"],
])("converts %i minutes to %s and back", (minutes, words) => {
  expect(formatSpan(minutes)).toBe(words);
  expect(minutesOf(spanOf(minutes))).toBe(minutes);
});

test.each([
  ["1.5", "hours", 90],
  ["0,25", "hours", 15],
  ["0.1", "hours", 6],
  [" 2 ", "days", 2880],
  ["0.3", "minutes", null],
  ["0", "minutes", null],
  ["-1", "hours", null],
  ["1e3", "minutes", null],
  ["", "hours", null],
  ["366", "days", null],
] as const)("reads %s %s as %s minutes", (amount, unit, minutes) => {
  expect(minutesOf({ amount, unit })).toBe(minutes);
});
