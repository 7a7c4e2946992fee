/** The browser's IANA time zone. */
export function localTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** As people read it: `America/New York`. */
export function zoneName(zone: string): string {
  return zone.replaceAll("_", " ");
}
