import { expect, test } from "vitest";
import { pauseUntil } from "./pause-ends.ts";

test("ends a pause tomorrow morning, next Monday, at a given time, or never", () => {
  const [sunday, monday] = [Date.parse("2026-11-22T23:30Z"), Date.parse("2026-11-23T00:10Z")];
  expect(pauseUntil("tomorrow", "", sunday, "UTC")).toBe("2026-11-23T09:00:00.000Z");
  expect(pauseUntil("monday", "", sunday, "UTC")).toBe("2026-11-23T09:00:00.000Z");
  expect(pauseUntil("monday", "", monday, "UTC")).toBe("2026-11-30T09:00:00.000Z");
  expect(pauseUntil("tomorrow", "", Date.parse("2026-12-31T10:00Z"), "UTC")).toBe(
    "2027-01-01T09:00:00.000Z",
  );
  expect(pauseUntil("time", "2026-11-25T14:30", monday, "UTC")).toBe("2026-11-25T14:30:00.000Z");
  expect(pauseUntil("time", "", monday, "UTC")).toBeNull();
  expect(pauseUntil("open", "2026-11-25T14:30", monday, "UTC")).toBeNull();
});

test("uses mornings of the page's zone, across a clock change", () => {
  const sunday = Date.parse("2026-11-22T23:30Z");
  // It is already Monday there.
  expect(pauseUntil("monday", "", sunday, "Europe/Berlin")).toBe("2026-11-30T08:00:00.000Z");
  expect(pauseUntil("tomorrow", "", sunday, "America/New_York")).toBe("2026-11-23T14:00:00.000Z");
  expect(pauseUntil("tomorrow", "", Date.parse("2026-03-28T12:00Z"), "Europe/Berlin")).toBe(
    "2026-03-29T07:00:00.000Z",
  );
  expect(pauseUntil("time", "2026-11-25T14:30", sunday, "Europe/Berlin")).toBe(
    "2026-11-25T13:30:00.000Z",
  );
});
