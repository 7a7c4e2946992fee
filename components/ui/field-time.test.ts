import { expect, test } from "vitest";
import { fieldTime, momentOfField } from "./field-time.ts";

test("edits a time in the zone that the page shows, whatever the browser's zone", () => {
  const noon = "2026-11-20T12:00:00.000Z";
  for (const [zone, text] of [
    ["UTC", "2026-11-20T12:00"],
    ["Europe/Berlin", "2026-11-20T13:00"],
    ["America/Los_Angeles", "2026-11-20T04:00"],
    ["Asia/Kathmandu", "2026-11-20T17:45"],
  ] as const) {
    expect(fieldTime(noon, zone)).toBe(text);
    expect(momentOfField(text, zone)).toBe(noon);
  }
});

test("leaves a time unchanged by a round trip, in summer and in winter", () => {
  for (const iso of ["2026-07-01T10:00:00.000Z", "2026-11-20T14:30:00.000Z"])
    for (const zone of ["UTC", "Europe/Berlin", "America/New_York"])
      expect(momentOfField(fieldTime(iso, zone), zone)).toBe(iso);
});

test("leaves text that isn't a time as typed", () => {
  expect(momentOfField("12026-11-20T12:00", "Europe/Berlin")).toBe("12026-11-20T12:00");
});

test("reads a repeated local time as the first, a skipped one as after the gap", () => {
  expect(momentOfField("2026-10-25T02:30", "Europe/Berlin")).toBe("2026-10-25T00:30:00.000Z");
  expect(momentOfField("2026-10-25T03:00", "Europe/Berlin")).toBe("2026-10-25T02:00:00.000Z");
  expect(momentOfField("2026-03-29T02:30", "Europe/Berlin")).toBe("2026-03-29T01:30:00.000Z");
  expect(momentOfField("2026-03-29T03:00", "Europe/Berlin")).toBe("2026-03-29T01:00:00.000Z");
});
