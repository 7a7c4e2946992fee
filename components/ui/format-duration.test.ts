import { expect, test } from "vitest";
import { daysUntil, formatAgo, formatLate, formatRemaining } from "./format-duration.ts";

const NOW = Date.parse("2026-11-20T12:00:00.000Z");
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();
const DAY = 86_400;

test.each([
  [2 * DAY + 4 * 3600 + 59, "2 d 4 h"],
  [7 * DAY, "7 d"],
  [DAY, "24 h"],
  [3900, "1 h 5 min"],
  [872, "14 min 32 s"],
  [60, "1 min"],
  [59.2, "60 s"],
  [0.4, "1 s"],
  [-5, "0 s"],
])("shows %d s ahead as %s", (seconds, text) => {
  expect(formatRemaining(at(seconds), NOW)).toBe(text);
});

test.each([
  [-1, "just now"],
  [3, "just now"],
  [-60, "1 min ago"],
  [-3599, "59 min ago"],
  [-47 * 3600, "47 h ago"],
  [-12 * DAY, "12 d ago"],
])("shows %d s as %s", (seconds, text) => {
  expect(formatAgo(at(seconds), NOW)).toBe(text);
});

test.each([
  [14 * DAY, 14],
  [14 * DAY + 1, 15],
  [1, 1],
])("counts %d s ahead as %d days", (seconds, days) => {
  expect(daysUntil(at(seconds), NOW)).toBe(days);
});

test("shows how late a passed deadline is", () => {
  expect(formatLate(at(-19 * 3600 - 300), NOW)).toBe("19 h 5 min late");
});
