/** A moment as a datetime-local field has it, in the zone that the page shows: UTC, or the browser's own. */
export function fieldTime(iso: string, timeZone: string): string {
  const time = new Date(iso);
  const offset = timeZone === "UTC" ? 0 : time.getTimezoneOffset();
  return new Date(time.getTime() - offset * 60_000).toISOString().slice(0, 16);
}

/** The moment that such a field means. */
export function momentOfField(text: string, timeZone: string): string {
  return new Date(timeZone === "UTC" ? `${text}Z` : text).toISOString();
}
