import { expect, test } from "vitest";
import { fieldTime, momentOfField } from "./field-time.ts";

test("where the page shows UTC, a deadline is edited in UTC", () => {
  expect(fieldTime("2026-11-20T14:30:00.000Z", "UTC")).toBe("2026-11-20T14:30");
  expect(momentOfField("2026-11-20T14:30", "UTC")).toBe("2026-11-20T14:30:00.000Z");
});

test("a moment goes through a field unchanged, over a change of clocks", () => {
  for (const iso of ["2026-07-01T10:00:00.000Z", "2026-11-20T14:30:00.000Z"])
    for (const zone of ["UTC", "Europe/Berlin"]) expect(momentOfField(fieldTime(iso, zone), zone)).toBe(iso);
});
