import { SLA_POLICIES } from "#lib/wire/facts.gen.ts";

/** A duration as typed. */
export type Span = { amount: string; unit: Unit };
export type Unit = "minutes" | "hours" | "days";

export const UNITS: readonly Unit[] = ["minutes", "hours", "days"];

const MINUTES: Record<Unit, number> = { minutes: 1, hours: 60, days: 1440 };
const { min, max } = SLA_POLICIES.low_minutes;

/** Uses the largest unit that needs no fraction. */
export function spanOf(minutes: number, units: readonly Unit[] = UNITS): Span {
  const unit = units.toReversed().find((unit) => minutes % MINUTES[unit] === 0) ?? "minutes";
  return { amount: String(minutes / MINUTES[unit]), unit };
}

/** Null unless it's a whole number of minutes, from one minute to a year. */
export function minutesOf({ amount, unit }: Span): number | null {
  if (!/^\d{1,6}([.,]\d{1,4})?$/.test(amount.trim())) return null;
  const minutes = Number(amount.trim().replace(",", ".")) * MINUTES[unit];
  // 0.1 h is 6.000000000000001 min in floating point.
  const rounded = Math.round(minutes);
  return Math.abs(minutes - rounded) < 1e-6 && rounded >= min && rounded <= max ? rounded : null;
}

/** "4 hours", "1 day" */
export function formatSpan(minutes: number, units?: readonly Unit[]): string {
  const { amount, unit } = spanOf(minutes, units);
  return `${Number(amount).toLocaleString("en")} ${amount === "1" ? unit.slice(0, -1) : unit}`;
}
