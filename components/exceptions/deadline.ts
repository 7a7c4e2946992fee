import { type BREACH_RISKS, RISK_MINUTES } from "#lib/wire/facts.gen.ts";

export type BreachRisk = (typeof BREACH_RISKS)[number];

const MINUTE_MS = 60_000;

/** Rounded up as in the database, so that 0 and less is past the deadline. */
export function minutesToBreach(dueAt: string, nowMs: number): number {
  // Math.ceil returns -0 for a negative fraction.
  return Math.ceil((Date.parse(dueAt) - nowMs) / MINUTE_MS) + 0;
}

export function breachRisk(minutes: number): BreachRisk {
  if (minutes <= 0) return "breached";
  if (minutes < RISK_MINUTES.high_below) return "high";
  return minutes <= RISK_MINUTES.medium_up_to ? "medium" : "low";
}

/** "in 29 min", "3 h 12 min late"; in seconds within a minute of the deadline. */
export function countdown(dueAt: string, nowMs: number): string {
  const seconds = (Date.parse(dueAt) - nowMs) / 1000;
  if (seconds > 0 && seconds < 60) return `in ${Math.ceil(seconds)} s`;
  if (seconds <= 0 && seconds > -60)
    return seconds > -1 ? "due now" : `${Math.floor(-seconds)} s late`;
  const minutes = minutesToBreach(dueAt, nowMs);
  return minutes > 0 ? `in ${formatMinutes(minutes)}` : `${formatMinutes(-minutes)} late`;
}

/** The time left on a paused clock: "2 h 5 min left". */
export function formatTimeLeft(minutes: number): string {
  return `${formatMinutes(Math.max(0, minutes))} left`;
}

export function formatMinutes(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (days >= 2) return joinUnits(days, "d", hours % 24, "h");
  return hours > 0 ? joinUnits(hours, "h", minutes % 60, "min") : `${minutes} min`;
}

function joinUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** "1:02:03", "−0:29:00": hours, minutes and seconds, for columns that add up. */
export function formatClock(seconds: number): string {
  const rounded = Math.round(Math.abs(seconds));
  const [hours, minutes, rest] = [
    Math.floor(rounded / 3600),
    Math.floor(rounded / 60) % 60,
    rounded % 60,
  ];
  const sign = seconds < 0 && rounded > 0 ? "−" : "";
  return `${sign}${hours}:${String(minutes).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}
