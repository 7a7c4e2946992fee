import { formatDay, formatMoment } from "#components/ui/moment.ts";
import type { ApiKeyUsage } from "#lib/api-keys/contract.ts";

export type Bucket = ApiKeyUsage["hours"][number];

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Periods of whole days in UTC, ending today. */
export const PERIODS = {
  hours: { name: "7 days", step_ms: HOUR_MS, days: 7, unit: "hour" },
  days: { name: "90 days", step_ms: DAY_MS, days: 90, unit: "day" },
} as const;

export type Period = keyof typeof PERIODS;

/** The calls of a period, as the chart, the table and the list add them up. */
export function totalOf(buckets: readonly Bucket[]): Pick<Bucket, "accepted" | "refused"> {
  return buckets.reduce(
    (sum, { accepted, refused }) => ({
      accepted: sum.accepted + accepted,
      refused: sum.refused + refused,
    }),
    {
      accepted: 0,
      refused: 0,
    },
  );
}

/**
 * The name of a bucket. Days are named in UTC: in a zone with clock changes, one day would appear
 * twice and another not at all.
 */
export function nameOf({ start }: Bucket, period: Period, timeZone: string): string {
  return period === "days" ? formatDay(start, "UTC") : formatMoment(start, timeZone);
}

/** Every hour or day of a period up to now, including those without calls. */
export function bucketsOf(usage: ApiKeyUsage, period: Period): Bucket[] {
  const { step_ms, days } = PERIODS[period];
  const known = new Map(usage[period].map((bucket) => [Date.parse(bucket.start), bucket]));
  const now = Date.parse(usage.as_of);
  const first = Math.floor(now / DAY_MS) * DAY_MS - (days - 1) * DAY_MS;
  return Array.from({ length: Math.floor((now - first) / step_ms) + 1 }, (_, index) => {
    const start = first + index * step_ms;
    return known.get(start) ?? { start: new Date(start).toISOString(), accepted: 0, refused: 0 };
  });
}

/** The day in a bucket's name. */
export function dayOf(name: string): string {
  return name.split(/,| \d{4}$/)[0] ?? name;
}

/** The first name of each day, so that an axis shows each day once if there is room. */
export function dayStarts(names: readonly string[]): string[] {
  return names.filter((name, at) => at === 0 || dayOf(name) !== dayOf(names[at - 1] ?? ""));
}
