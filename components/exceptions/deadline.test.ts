import { expect, test } from "vitest";
import { breachRisk, countdown, formatClock, minutesToBreach } from "./deadline.ts";

const NOW = Date.parse("2026-11-20T12:00:00.000Z");
const due = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

test.each([
  [-60, -1, "breached"],
  [-30, 0, "breached"],
  [0, 0, "breached"],
  [1, 1, "high"],
  [30, 1, "high"],
  [59 * 60, 59, "high"],
  [59 * 60 + 1, 60, "medium"],
  [240 * 60, 240, "medium"],
  [240 * 60 + 1, 241, "low"],
] as const)(
  "rounds %i s before the deadline to %i minutes and risk %s, as the database does",
  (seconds, minutes, risk) => {
    expect(minutesToBreach(due(seconds), NOW)).toBe(minutes);
    expect(breachRisk(minutes)).toBe(risk);
  },
);

test.each([
  [29 * 60 - 1, "in 29 min"],
  [60, "in 1 min"],
  [59.2, "in 60 s"],
  [3, "in 3 s"],
  [0, "due now"],
  [-12.4, "12 s late"],
  [-60, "1 min late"],
  [-(3 * 60 + 12) * 60 - 59, "3 h 12 min late"],
  [2 * 60 * 60, "in 2 h"],
  [47 * 60 * 60, "in 47 h"],
  [52 * 60 * 60, "in 2 d 4 h"],
])("shows %d s before the deadline as %s", (seconds, text) => {
  expect(countdown(due(seconds), NOW)).toBe(text);
});

test.each([
  [0, "0:00:00"],
  [-0.4, "0:00:00"],
  [-60, "−0:01:00"],
  [3723, "1:02:03"],
  [360_000, "100:00:00"],
] as const)("shows %d s of a clock as %s", (seconds, shown) => {
  expect(formatClock(seconds)).toBe(shown);
});
