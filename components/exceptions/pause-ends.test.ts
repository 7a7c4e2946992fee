import { expect, test } from "vitest";
import { pauseUntil } from "./pause-ends.ts";

const local = (text: string) => new Date(text).toISOString();

test("a pause ends on the next morning, on the Monday after today, at a time, or not by itself", () => {
  const [sunday, monday] = [new Date("2026-11-22T23:30"), new Date("2026-11-23T00:10")];
  expect(pauseUntil("tomorrow", "", sunday)).toBe(local("2026-11-23T09:00"));
  expect(pauseUntil("monday", "", sunday)).toBe(local("2026-11-23T09:00"));
  expect(pauseUntil("monday", "", monday)).toBe(local("2026-11-30T09:00"));
  expect(pauseUntil("tomorrow", "", new Date("2026-12-31T10:00"))).toBe(local("2027-01-01T09:00"));
  expect(pauseUntil("time", "2026-11-25T14:30", monday)).toBe(local("2026-11-25T14:30"));
  expect(pauseUntil("time", "", monday)).toBeNull();
  expect(pauseUntil("open", "2026-11-25T14:30", monday)).toBeNull();
});
