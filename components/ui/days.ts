/** Days as text, "2026-11-26", independent of time zones. */

const DAY_MS = 86_400_000;
const NAMES = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** The number of days in the weeks that a month's calendar shows. */
const CELLS = 42;

/**
 * The day that a text means: "2026-11-26", "26.11.2026", "26 Nov 2026" or "Nov 26, 2026". Null for
 * anything else, and for days with slashes, which countries order differently.
 */
export function parseDay(text: string): string | null {
  const typed = text.trim().toLowerCase();
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(typed);
  if (iso) return dayOf(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const dotted = /^(\d{1,2})\.\s*(\d{1,2})\.\s*(\d{4})$/.exec(typed);
  if (dotted) return dayOf(Number(dotted[3]), Number(dotted[2]), Number(dotted[1]));
  const named =
    /^(?<day>\d{1,2})\.? (?<month>[a-z]{3})[a-z]*\.? (?<year>\d{4})$/.exec(typed) ??
    /^(?<month>[a-z]{3})[a-z]*\.? (?<day>\d{1,2}),? (?<year>\d{4})$/.exec(typed);
  if (!named?.groups) return null;
  const { day, month = "", year } = named.groups;
  return dayOf(Number(year), NAMES.indexOf(month) + 1, Number(day));
}

/**
 * The day and time that a text means, "2026-11-26T14:30": a day as parseDay reads it, then a time
 * of 24 hours, "14:30". A day alone gets `time`.
 */
export function parseDayTime(text: string, time: string): string | null {
  const timed = /^(?<day>.+?)(?:T|,|\s)\s*(?<hour>\d{1,2}):(?<minute>[0-5]\d)$/i.exec(text.trim());
  const { day = text, hour, minute } = timed?.groups ?? {};
  const parsed = parseDay(day);
  if (parsed === null || Number(hour ?? 0) > 23) return null;
  return `${parsed}T${hour === undefined ? time : `${hour.padStart(2, "0")}:${minute}`}`;
}

function dayOf(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal ? date.toISOString().slice(0, 10) : null;
}

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);
}

/** The same day of another month, or that month's last day. */
export function addMonths(day: string, count: number): string {
  const month = monthAfter(day.slice(0, 7), count);
  const last = addDays(`${monthAfter(month, 1)}-01`, -1);
  const moved = `${month}${day.slice(7)}`;
  return moved < last ? moved : last;
}

/** The month `count` months after another, "2026-12" of "2026-11"; negative: before it. */
export function monthAfter(month: string, count: number): string {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + count, 1)).toISOString().slice(0, 7);
}

/** The days of a month's calendar in weeks from Monday, including those of its neighbours. */
export function weeksOf(day: string): string[][] {
  const first = `${day.slice(0, 7)}-01`;
  const before = (new Date(`${first}T00:00:00Z`).getUTCDay() + 6) % 7;
  const cells = Array.from({ length: CELLS }, (_, at) => addDays(first, at - before));
  return Array.from({ length: CELLS / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}
