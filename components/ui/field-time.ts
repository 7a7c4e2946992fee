import { offsetAt } from "./zone-offset.ts";

const DAY_MS = 86_400_000;

/** A moment as a datetime-local field has it, in the zone that the page shows. */
export function fieldTime(iso: string, timeZone: string): string {
  const time = Date.parse(iso);
  return new Date(time + offsetAt(time, timeZone)).toISOString().slice(0, 16);
}

/** The moment that such a field means; of a time that comes twice as clocks change the first one, of one that is left out the one after. */
export function momentOfField(text: string, timeZone: string): string {
  const utc = Date.parse(`${text}Z`);
  // A year of five digits: the server says so at the field.
  if (Number.isNaN(utc)) return text;
  const before = new Date(utc - offsetAt(utc - DAY_MS, timeZone)).toISOString();
  const after = new Date(utc - offsetAt(utc + DAY_MS, timeZone)).toISOString();
  return (
    [before, after].find((moment) => fieldTime(moment, timeZone) === text.slice(0, 16)) ?? before
  );
}
