/** How far two amounts may be apart under a rule, in whole minor units without rounding errors. */
import type { Rule } from "./rules.ts";

const BPS = 10_000;

export type AmountTolerance = { minor: number; bps: number };

export function toleranceOf(rule: Rule): AmountTolerance {
  return { minor: rule.amount_tolerance_minor ?? 0, bps: rule.amount_tolerance_bps ?? 0 };
}

/** The tolerance for two amounts: so many minor units, or so many basis points of the larger, whichever is more. */
export function toleranceFor({ minor, bps }: AmountTolerance, one: number, other: number): number {
  const larger = Math.max(Math.abs(one), Math.abs(other));
  const share = Math.floor(larger / BPS) * bps + Math.floor(((larger % BPS) * bps) / BPS);
  return Math.max(minor, share);
}

/** Whether two amounts of one sign are near enough. Nothing but zero is near zero. */
export function isWithin(tolerance: AmountTolerance, one: number, other: number): boolean {
  if (one === other) return true;
  if (one === 0 || other === 0 || one > 0 !== other > 0) return false;
  return Math.abs(one - other) <= toleranceFor(tolerance, one, other);
}
