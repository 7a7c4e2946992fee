import { expect, test } from "vitest";
import type { ApiKeyUsage } from "#lib/api-keys/contract.ts";
import { bucketsOf } from "./buckets.ts";

const usage = {
  as_of: "2026-11-20T12:34:56.000Z",
  hours: [{ start: "2026-11-20T11:00:00.000Z", accepted: 5, refused: 1 }],
  days: [{ start: "2026-11-20T00:00:00.000Z", accepted: 7, refused: 2 }],
} as unknown as ApiKeyUsage;

test("there is a bucket for each hour of 7 days, the present one last", () => {
  const buckets = bucketsOf(usage, "hours");
  expect(buckets).toHaveLength(168);
  expect(buckets.at(0)?.start).toBe("2026-11-13T13:00:00.000Z");
  expect(buckets.slice(-2)).toEqual([usage.hours[0], { start: "2026-11-20T12:00:00.000Z", accepted: 0, refused: 0 }]);
});

test("there is a bucket for each of 90 days, today last", () => {
  const buckets = bucketsOf(usage, "days");
  expect(buckets).toHaveLength(90);
  expect(buckets.at(-1)).toEqual(usage.days[0]);
  expect(buckets.at(0)?.start).toBe("2026-08-23T00:00:00.000Z");
});
