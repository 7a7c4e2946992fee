import { offsetAt } from "./zone-offset.ts";

const DAY_MS = 86_400_000;

/** The value of a DateField with a time, in the zone that the page shows. */
export function fieldTime(iso: string, timeZone: string): string {
  const time = Date.parse(iso);
  return new Date(time + offsetAt(time, timeZone)).toISOString().slice(0, 16);
}

/**
 * The time that a DateField with a time means. When clocks change, a repeated local time means the
 * first, and a skipped one the time after the gap.
 */
export function momentOfField(text: string, timeZone: string): string {
  const utc = Date.parse(`${text}Z`);
  // Unreadable text, such as a year of five digits, is left to the server to reject.
  if (Number.isNaN(utc)) return text;
  const before = new Date(utc - offsetAt(utc - DAY_MS, timeZone)).toISOString();
  const after = new Date(utc - offsetAt(utc + DAY_MS, timeZone)).toISOString();
  return (
    [before, after].find((moment) => fieldTime(moment, timeZone) === text.slice(0, 16)) ?? before
  );
}
