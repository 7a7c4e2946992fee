import { expect, test } from "vitest";
import type { ApiKeyUsage } from "#lib/api-keys/contract.ts";
import { bucketsOf, dayOf, dayStarts, nameOf } from "./buckets.ts";

const usage = {
  as_of: "2026-11-20T12:34:56.000Z",
  hours: [{ start: "2026-11-20T11:00:00.000Z", accepted: 5, refused: 1 }],
  days: [{ start: "2026-11-20T00:00:00.000Z", accepted: 7, refused: 2 }],
} as unknown as ApiKeyUsage;

test("returns a bucket for each hour of 7 days in UTC, the current one last", () => {
  const buckets = bucketsOf(usage, "hours");
  expect(buckets).toHaveLength(6 * 24 + 13);
  expect(buckets.at(0)?.start).toBe("2026-11-14T00:00:00.000Z");
  expect(buckets.slice(-2)).toEqual([
    usage.hours[0],
    { start: "2026-11-20T12:00:00.000Z", accepted: 0, refused: 0 },
  ]);
});

test("returns a bucket for each of 90 days, today last", () => {
  const buckets = bucketsOf(usage, "days");
  expect(buckets).toHaveLength(90);
  expect(buckets.at(-1)).toEqual(usage.days[0]);
  expect(buckets.at(0)?.start).toBe("2026-08-23T00:00:00.000Z");
});

// 00:00 UTC is 23:00 of the day before there in winter and midnight in summer, so in local time one
// day would appear twice.
test.each(["UTC", "Atlantic/Azores", "America/New_York", "Pacific/Kiritimati", "Europe/Berlin"])(
  "names each of 90 days once across a clock change, for a user in %s",
  (timeZone) => {
    const names = bucketsOf(usage, "days").map((bucket) => nameOf(bucket, "days", timeZone));
    expect(new Set(names).size).toBe(90);
    expect([names[0], names.at(-1)]).toEqual(["23 Aug 2026", "20 Nov 2026"]);
  },
);

test.each(["UTC", "Atlantic/Azores", "America/New_York", "Pacific/Kiritimati", "Europe/Berlin"])(
  "shows each day once below the hours of 7 days, for a user in %s",
  (timeZone) => {
    const names = bucketsOf(usage, "hours").map((bucket) => nameOf(bucket, "hours", timeZone));
    const days = dayStarts(names).map(dayOf);
    expect(days).toEqual([...new Set(names.map(dayOf))]);
    expect(days.length).toBeGreaterThanOrEqual(7);
  },
);
