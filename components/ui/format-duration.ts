const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Time until a moment: "2 d 4 h", "1 h 5 min", "14 min 32 s". */
export function formatRemaining(iso: string, nowMs: number): string {
  return formatDuration(Math.max(0, Date.parse(iso) - nowMs));
}

/** How far a deadline is passed: "2 d 4 h late", "14 min 32 s late". */
export function formatLate(iso: string, nowMs: number): string {
  return `${formatDuration(Math.max(0, nowMs - Date.parse(iso)))} late`;
}

/** Time since a moment: "just now", "4 min ago", "3 h ago", "12 d ago". */
export function formatAgo(iso: string, nowMs: number): string {
  const past = nowMs - Date.parse(iso);
  if (past < MINUTE_MS) return "just now";
  if (past < HOUR_MS) return `${Math.floor(past / MINUTE_MS)} min ago`;
  if (past < 2 * DAY_MS) return `${Math.floor(past / HOUR_MS)} h ago`;
  return `${Math.floor(past / DAY_MS)} d ago`;
}

/** Whole days until a moment, rounded up. */
export function daysUntil(iso: string, nowMs: number): number {
  return Math.ceil((Date.parse(iso) - nowMs) / DAY_MS);
}

function formatDuration(ms: number): string {
  if (ms >= 2 * DAY_MS) return joinUnits(ms, DAY_MS, "d", HOUR_MS, "h");
  if (ms >= HOUR_MS) return joinUnits(ms, HOUR_MS, "h", MINUTE_MS, "min");
  if (ms >= MINUTE_MS) return joinUnits(ms, MINUTE_MS, "min", 1000, "s");
  return `${Math.ceil(ms / 1000)} s`;
}

function joinUnits(
  ms: number,
  large_ms: number,
  large: string,
  small_ms: number,
  small: string,
): string {
  const rest = Math.floor((ms % large_ms) / small_ms);
  return `${Math.floor(ms / large_ms)} ${large}${rest > 0 ? ` ${rest} ${small}` : ""}`;
}
