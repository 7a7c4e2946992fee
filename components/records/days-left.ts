import { pluralize } from "#components/ui/pluralize.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long a deleted record can still be restored. */
export function daysLeft(purgeAt: string, now: number): string {
  const left = Date.parse(purgeAt) - now;
  if (left <= 0) return "any moment now";
  if (left < DAY_MS) return `in ${Math.ceil(left / HOUR_MS)} h`;
  const days = Math.ceil(left / DAY_MS);
  return `in ${pluralize(days, "day")}`;
}
