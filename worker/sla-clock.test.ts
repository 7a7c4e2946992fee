import { expect, it } from "vitest";
import { pauseAfter } from "./sla-clock.ts";

it("continues at once while exceptions are due", () => {
  expect(pauseAfter({ moved: 5000, wait_ms: -20 })).toBe(0);
});

it("waits before asking again for exceptions that are locked", () => {
  expect(pauseAfter({ moved: 0, wait_ms: -20 })).toBeGreaterThanOrEqual(20);
  expect(pauseAfter({ moved: 0, wait_ms: 0 })).toBeGreaterThanOrEqual(20);
});

it("sleeps until the next boundary, and looks for an earlier one within a second", () => {
  expect(pauseAfter({ moved: 1, wait_ms: 7 })).toBe(7);
  expect(pauseAfter({ moved: 0, wait_ms: 3_600_000 })).toBeLessThan(500);
  expect(pauseAfter({ moved: 0, wait_ms: null })).toBeLessThan(500);
});
