const DAY_MS = 86_400_000;
const DAYS = 30;

/** The last 30 days by UTC, of which the present one is the last, as the report's `since` and `until`. */
export function reportPeriod(asOf: string): { since: string; until: string } {
  const until = startOfDay(asOf) + DAY_MS;
  return { since: new Date(until - DAYS * DAY_MS).toISOString(), until: new Date(until).toISOString() };
}

function startOfDay(iso: string): number {
  return Math.floor(Date.parse(iso) / DAY_MS) * DAY_MS;
}
