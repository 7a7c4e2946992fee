import type { ApiKeyUsage } from "#lib/api-keys/contract.ts";

export type Bucket = ApiKeyUsage["hours"][number];

const HOUR_MS = 60 * 60 * 1000;

export const PERIODS = {
  hours: { name: "7 days", step_ms: HOUR_MS, count: 7 * 24, unit: "hour" },
  days: { name: "90 days", step_ms: 24 * HOUR_MS, count: 90, unit: "day" },
} as const;

export type Period = keyof typeof PERIODS;

/** Every hour or day of a period up to now, including those without calls. */
export function bucketsOf(usage: ApiKeyUsage, period: Period): Bucket[] {
  const { step_ms, count } = PERIODS[period];
  const known = new Map(usage[period].map((bucket) => [Date.parse(bucket.start), bucket]));
  const last = Math.floor(Date.parse(usage.as_of) / step_ms) * step_ms;
  return Array.from({ length: count }, (_, index) => {
    const start = last - (count - 1 - index) * step_ms;
    return known.get(start) ?? { start: new Date(start).toISOString(), accepted: 0, refused: 0 };
  });
}
