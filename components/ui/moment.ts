// Fixed language and hand-assembled parts: server and browser data differ in punctuation.
const LANGUAGE = "en-GB";

/** 20 Nov, 14:30 */
export function formatMoment(iso: string, timeZone: string): string {
  const part = partsOf(iso, {
    timeZone,
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  return `${part.day} ${part.month}, ${part.hour}:${part.minute}`;
}

/** 20 Nov 2026 */
export function formatDay(iso: string, timeZone: string): string {
  const part = partsOf(iso, { timeZone, day: "numeric", month: "short", year: "numeric" });
  return `${part.day} ${part.month} ${part.year}`;
}

/** 20 Nov: for places where the year is obvious, such as a chart of 30 days. */
export function formatShortDay(iso: string, timeZone: string): string {
  const part = partsOf(iso, { timeZone, day: "numeric", month: "short" });
  return `${part.day} ${part.month}`;
}

/** Fri 20 Nov 2026, 14:30:05 GMT+1 */
export function formatMomentInFull(iso: string, timeZone: string): string {
  const part = partsOf(iso, {
    timeZone,
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "shortOffset",
  });
  const zone = timeZone === "UTC" ? "UTC" : part.timeZoneName;
  return `${part.weekday} ${part.day} ${part.month} ${part.year}, ${part.hour}:${part.minute}:${part.second} ${zone}`;
}

/** The full time in a time zone, followed by UTC if that is different. */
export function formatMomentInBoth(iso: string, timeZone: string): string {
  const full = formatMomentInFull(iso, timeZone);
  return timeZone === "UTC" ? full : `${full} · ${formatMomentInFull(iso, "UTC")}`;
}

/** Cached by zone and format: creating one is too slow for every table row. */
const formats = new Map<string, Intl.DateTimeFormat>();

function partsOf(
  iso: string,
  options: Intl.DateTimeFormatOptions,
): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
  const key = JSON.stringify(options);
  const format = formats.get(key) ?? new Intl.DateTimeFormat(LANGUAGE, options);
  formats.set(key, format);
  return Object.fromEntries(
    format.formatToParts(new Date(iso)).map(({ type, value }) => [type, value]),
  );
}
