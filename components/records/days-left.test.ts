import { expect, test } from "vitest";
import { daysLeft } from "./days-left.ts";

const NOW = Date.parse("2026-11-20T12:00:00.000Z");

test.each([
  ["2026-12-20T12:00:00.000Z", "in 30 days"],
  ["2026-12-20T11:59:59.999Z", "in 30 days"],
  ["2026-11-22T12:00:00.000Z", "in 2 days"],
  ["2026-11-21T12:00:00.001Z", "in 2 days"],
  ["2026-11-21T12:00:00.000Z", "in 1 day"],
  ["2026-11-21T11:59:59.999Z", "in 24 h"],
  ["2026-11-20T12:00:00.001Z", "in 1 h"],
  ["2026-11-20T12:00:00.000Z", "any moment now"],
  ["2026-11-19T12:00:00.000Z", "any moment now"],
])("purging at %s reads as %s", (purgeAt, words) => {
  expect(daysLeft(purgeAt, NOW)).toBe(words);
});
