// One fixed language and parts put together by hand: the server's and the browser's data differ in their punctuation.
const LANGUAGE = "en-GB";

/** 20 Nov, 14:30 */
export function formatMoment(iso: string, timeZone: string): string {
  const part = partsOf(iso, { timeZone, day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return `${part.day} ${part.month}, ${part.hour}:${part.minute}`;
}

/** 20 Nov 2026 */
export function formatDay(iso: string, timeZone: string): string {
  const part = partsOf(iso, { timeZone, day: "numeric", month: "short", year: "numeric" });
  return `${part.day} ${part.month} ${part.year}`;
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

/** Made once for each zone and form: making one takes longer than what a row of a table has. */
const formats = new Map<string, Intl.DateTimeFormat>();

function partsOf(iso: string, options: Intl.DateTimeFormatOptions): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
  const key = JSON.stringify(options);
  const format = formats.get(key) ?? new Intl.DateTimeFormat(LANGUAGE, options);
  formats.set(key, format);
  return Object.fromEntries(format.formatToParts(new Date(iso)).map(({ type, value }) => [type, value]));
}
