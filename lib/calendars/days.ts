export const DAY_MS = 86_400_000;

/** The `count` days from the one that begins at `first` (milliseconds of UTC), as YYYY-MM-DD. */
export function daysFrom(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, n) =>
    new Date(first + n * DAY_MS).toISOString().slice(0, 10),
  );
}

/** The number of whole days in `ms`, at least one. */
export function daysIn(ms: number): number {
  return Math.max(1, Math.round(ms / DAY_MS));
}
