const DAY_MS = 86_400_000;
const DAYS = 30;

/** The last 30 days in UTC, including today, as the report's `since` and `until`. */
export function reportPeriod(asOf: string): { since: string; until: string } {
  const until = startOfDay(asOf) + DAY_MS;
  return {
    since: new Date(until - DAYS * DAY_MS).toISOString(),
    until: new Date(until).toISOString(),
  };
}

/** Each day of a period as `YYYY-MM-DD`. */
export function daysOf({ since, until }: { since: string; until: string }): string[] {
  const count = (Date.parse(until) - Date.parse(since)) / DAY_MS;
  return Array.from({ length: count }, (_, day) =>
    new Date(Date.parse(since) + day * DAY_MS).toISOString().slice(0, 10),
  );
}

function startOfDay(iso: string): number {
  return Math.floor(Date.parse(iso) / DAY_MS) * DAY_MS;
}
