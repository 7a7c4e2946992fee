import { expect, test } from "vitest";
import { returnedSince } from "./use-return.ts";

const NOW = Date.parse("2026-11-26T16:00:00.000Z");

test("shows a summary after ten minutes away, of at most the last day", () => {
  expect(returnedSince("2026-11-26T11:19:00.000Z", NOW)).toBe("2026-11-26T11:19:00.000Z");
  expect(returnedSince("2026-11-26T15:51:00.000Z", NOW)).toBeNull();
  expect(returnedSince("2026-11-20T11:19:00.000Z", NOW)).toBe("2026-11-25T16:01:00.000Z");
});

test("shows no summary on the first visit, or if the stored value isn't a time", () => {
  expect(returnedSince(null, NOW)).toBeNull();
  expect(returnedSince("x", NOW)).toBeNull();
});
