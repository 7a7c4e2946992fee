import { expect, test } from "vitest";
import { dayOf, startOfDay } from "./day.ts";

test("a day begins at midnight in the reader's zone, even on days when clocks change", () => {
  expect(startOfDay("2026-11-20", "UTC")).toBe("2026-11-20T00:00:00.000Z");
  expect(startOfDay("2026-11-20", "Europe/Berlin")).toBe("2026-11-19T23:00:00.000Z");
  expect(startOfDay("2026-03-29", "Europe/Berlin")).toBe("2026-03-28T23:00:00.000Z");
  expect(startOfDay("2026-03-29", "Europe/Berlin", 1)).toBe("2026-03-29T22:00:00.000Z");
  expect(startOfDay("2026-10-25", "Europe/Berlin", 1)).toBe("2026-10-25T23:00:00.000Z");
  expect(startOfDay("2026-11-20", "America/Los_Angeles", -6)).toBe("2026-11-14T08:00:00.000Z");
  expect(startOfDay("2026-11-20", "Asia/Kathmandu")).toBe("2026-11-19T18:15:00.000Z");
});

test("a time belongs to the day that the reader's calendar shows", () => {
  expect(dayOf(Date.parse("2026-11-19T23:30:00Z"), "Europe/Berlin")).toBe("2026-11-20");
  expect(dayOf(Date.parse("2026-11-19T23:30:00Z"), "UTC")).toBe("2026-11-19");
});
