/** The browser's IANA time zone. */
export function localTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The display name: `America/New York`. */
export function zoneName(zone: string): string {
  return zone.replaceAll("_", " ");
}
