/** The browser's IANA time zone. */
export function localTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The name as it is displayed: `America/New York`. */
export function zoneName(zone: string): string {
  return zone.replaceAll("_", " ");
}
