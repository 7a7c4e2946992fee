import { offsetAt } from "#components/ui/zone-offset.ts";

const DAY_MS = 86_400_000;

/** `2026-11-20`: the day of a moment in a zone. */
export function dayOf(moment: number, timeZone: string): string {
  return new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  }).format(moment);
}

/**
 * When a day begins in a zone, `days` later. If clocks change at midnight, the first moment of that
 * day.
 */
export function startOfDay(day: string, timeZone: string, days = 0): string {
  const utc = Date.parse(`${day}T00:00:00Z`) + days * DAY_MS;
  const guess = utc - offsetAt(utc, timeZone);
  return new Date(utc - offsetAt(guess, timeZone)).toISOString();
}
