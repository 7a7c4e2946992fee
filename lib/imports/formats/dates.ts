import { withoutInvisible } from "../../wire/invisible-marks.ts";
import type { DateFormat } from "./mapping.ts";

/** A day as `YYYY-MM-DD`; null for a text that is not a day, including 30 February. */
export type DateReader = (text: string) => string | null;

type Part = "YYYY" | "YY" | "MM" | "MMM" | "DD";

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * SWIFT's rule for years of two digits, which all formats here follow: 80 to 99 are in the 20th
 * century.
 */
const CENTURY_PIVOT = 80;

/**
 * The first letters of month names without diacritics, in English, German, French, Spanish,
 * Italian, Dutch and Portuguese.
 */
const MONTHS = [
  "jan jaen janv ene gen",
  "feb fev fevr",
  "mar marz maerz mrt mars maa",
  "apr avr abr",
  "may mai mag mei",
  "jun juin giu",
  "jul juil lug",
  "aug aou ago aout",
  "sep sept set",
  "oct okt ott out",
  "nov",
  "dec dez dic",
].map((names) => names.split(" "));

const TIME =
  /^[T ]\s*(?:2[0-3]|[01]?\d)[:.][0-5]\d(?:[:.][0-6]\d(?:[.,]\d{1,9})?)?\s*(?:[AaPp]\.?[Mm]\.?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/;

const MIDNIGHT = /^[T ]\s*00:00(?::00(?:[.,]0+)?)?\s*(?:Z|UTC|GMT|[+-]00)/;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** 2026年10月2日, also in Korean. */
const EAST_ASIAN = /^(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]/;
/** In English, German, French, Spanish, Italian, Dutch, Portuguese and the Nordic languages. */
const WEEKDAYS = new Set(
  (
    "mon tue tues wed thu thur thurs fri sat sun monday tuesday wednesday thursday friday saturday sunday " +
    "mo di mi do fr sa so montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag " +
    "lun mar mer jeu ven sam dim lu ma me je ve lundi mardi mercredi jeudi vendredi samedi dimanche " +
    "mie jue vie sab dom gio wo vr za zo ons tor fre lor son man tir seg ter qua qui sex"
  ).split(" "),
);
/** "Fri 2 Oct 2026" */
const LEADING_WORD = /^(\p{L}{2,10})[.,]{0,2}\s+(?=\d)/u;
/** "2026/10/02(金)" */
const TRAILING_WEEKDAY = /(?<=\d)\s?\(\p{L}{1,3}\)/u;

/**
 * Brings a date into the form of its format: removes a weekday, and writes East Asian dates with
 * hyphens.
 */
export function normalizeDate(text: string): string {
  if (/^\d[\d./: -]*$/.test(text)) return text;
  const bare = withoutInvisible(text).replace(EAST_ASIAN, "$1-$2-$3").replace(TRAILING_WEEKDAY, "");
  const [prefix = "", word = ""] = LEADING_WORD.exec(bare) ?? [];
  // "Mar 2, 2026" is a day in March.
  const isWeekday = WEEKDAYS.has(plainLetters(word)) && monthOf(word) === 0;
  return isWeekday ? bare.slice(prefix.length) : bare;
}

/**
 * The day as `YYYY-MM-DD`, or null if the calendar has no such day. Only the years 1900 to 2199 are
 * accepted, because later ones belong to another calendar, such as the Thai one, which is 543 years
 * ahead.
 */
export function calendarDay(year: number, month: number, day: number): string | null {
  if (!(year >= 1900 && year <= 2199 && month >= 1 && month <= 12 && day >= 1)) return null;
  const isLeap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (day > (DAYS[month - 1] ?? 0) + (isLeap ? 1 : 0)) return null;
  return `${year}-${month < 10 ? "0" : ""}${month}-${day < 10 ? "0" : ""}${day}`;
}

export function fullYear(twoDigits: number): number {
  return twoDigits + (twoDigits >= CENTURY_PIVOT ? 1900 : 2000);
}

/** `YYMMDD`, as in MT940 and BAI2. */
export function sixDigitDay(text: string): string | null {
  if (!/^\d{6}$/.test(text)) return null;
  return calendarDay(
    fullYear(Number(text.slice(0, 2))),
    Number(text.slice(2, 4)),
    Number(text.slice(4)),
  );
}

/** `YYYYMMDD`, as in OFX. */
export function eightDigitDay(text: string): string | null {
  if (!/^\d{8}$/.test(text)) return null;
  return calendarDay(Number(text.slice(0, 4)), Number(text.slice(4, 6)), Number(text.slice(6)));
}

/**
 * Reads days in one format. A time may follow the day. With an offset, or without one, the day
 * stays as written. A time in UTC (`Z`) doesn't show where it was booked, so it is converted to the
 * day in the time zone; only midnight in UTC stays, because programs write a day without a time in
 * this way.
 */
export function dateReader(format: DateFormat, timeZone: string): DateReader {
  const dayInZone = zoneDays(timeZone);
  const read =
    format === "unix_seconds" || format === "unix_ms"
      ? epochReader(format, dayInZone)
      : patternReader(format, dayInZone);
  // Consecutive lines usually have the same day, so the last result is cached.
  let lastText = "";
  let lastDay: string | null = null;
  return (text) => {
    if (text === lastText) return lastDay;
    lastDay = read(normalizeDate(text));
    lastText = text;
    return lastDay;
  };
}

function epochReader(
  format: "unix_seconds" | "unix_ms",
  dayInZone: (ms: number) => string,
): DateReader {
  const factor = format === "unix_seconds" ? 1000 : 1;
  const shape = format === "unix_seconds" ? /^\d{9,10}(?:\.\d{1,9})?$/ : /^\d{12,13}$/;
  return (text) => {
    if (!shape.test(text)) return null;
    const ms = Number(text) * factor;
    return ms % DAY_MS === 0 ? new Date(ms).toISOString().slice(0, 10) : dayInZone(ms);
  };
}

function patternReader(format: string, dayInZone: (ms: number) => string): DateReader {
  const parts = format.match(/YYYY|YY|MMM|MM|DD/g) as Part[];
  const separated = /[^YMD]/.test(format);
  const source = format
    .replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")
    // "2. Oktober 2026", "2 de octubre de 2026"
    .replace(/^DD MMM /, "DD\\.?(?: de)? MMM(?: de)? ")
    .replace(/YYYY|YY|MMM|MM|DD/g, (part) =>
      part === "MMM"
        ? "(\\p{L}{3,10})\\.?"
        : part.length === 4
          ? "(\\d{4})"
          : separated && part !== "YY"
            ? "(\\d{1,2})"
            : "(\\d{2})",
    );
  const shape = new RegExp(`^${source}(.*)$`, "u");
  return (text) => {
    const found = shape.exec(text);
    if (!found) return null;
    let year = 0;
    let month = 0;
    let day = 0;
    for (let at = 0; at < 3; at++) {
      const value = found[at + 1] ?? "";
      if (parts[at] === "YYYY") year = Number(value);
      else if (parts[at] === "YY") year = fullYear(Number(value));
      else if (parts[at] === "MM") month = Number(value);
      else if (parts[at] === "MMM") month = monthOf(value);
      else day = Number(value);
    }
    const written = calendarDay(year, month, day);
    const rest = found[4] ?? "";
    if (rest === "" || written === null) return written;
    const time = TIME.exec(rest);
    if (!time) return null;
    return isUtc(time[1]) && !MIDNIGHT.test(rest) ? utcDay(written, rest, dayInZone) : written;
  };
}

function isUtc(offset: string | undefined): boolean {
  return offset !== undefined && /^(?:Z|UTC|GMT|[+-]00(?::?00)?)$/.test(offset);
}

function utcDay(day: string, rest: string, dayInZone: (ms: number) => string): string {
  const [hours = 0, minutes = 0] = (rest.match(/\d+/g) ?? []).map(Number);
  const isAfternoon = /p\.?m/i.test(rest) && hours < 12;
  const isMidnight = /a\.?m/i.test(rest) && hours === 12;
  return dayInZone(
    Date.parse(`${day}T00:00:00Z`) +
      (((isMidnight ? 0 : hours) + (isAfternoon ? 12 : 0)) * 60 + minutes) * 60_000,
  );
}

function plainLetters(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

function monthOf(name: string): number {
  const bare = plainLetters(name);
  return MONTHS.findIndex((names) => names.some((start) => bare.startsWith(start))) + 1;
}

/**
 * The days of instants in a time zone. Intl is slow, and every zone's offset is a multiple of a
 * quarter of an hour, so results are cached for each quarter.
 */
function zoneDays(timeZone: string): (ms: number) => string {
  const quarter = 15 * 60_000;
  const cache = new Map<number, string>();
  let format: Intl.DateTimeFormat | undefined;
  return (ms) => {
    const key = Math.floor(ms / quarter);
    const day = cache.get(key);
    if (day !== undefined) return day;
    // Swedish uses YYYY-MM-DD.
    format ??= new Intl.DateTimeFormat("sv-SE", {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    });
    const computed = format.format(key * quarter);
    if (cache.size >= 10_000) cache.clear();
    cache.set(key, computed);
    return computed;
  };
}

/**
 * Reads a time with its offset, or a day, as XML Schema writes them. 24:00:00 is the end of the
 * written day.
 */
export function isoDay(timeZone: string): DateReader {
  const read = dateReader("YYYY-MM-DD", timeZone);
  return (text) => {
    const [, day] =
      /^(\d{4}-\d\d-\d\d)(?:T24:00(?::00(?:\.0+)?)?)?(?:Z|[+-]\d\d:\d\d)?$/.exec(text) ?? [];
    return read(day ?? text);
  };
}

/** The day of an xs:date, which may have an offset: the day counts as written. */
export function isoDate(text: string): string | null {
  const [day = ""] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  return /^(?:T[\d:.]+)?(?:Z|[+-]\d\d:\d\d)?$/.test(text.slice(day.length))
    ? writtenDay(day)
    : null;
}

const writtenDay = dateReader("YYYY-MM-DD", "UTC");
