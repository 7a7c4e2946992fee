/** How far two amounts may be apart under a rule, in whole minor units without rounding errors. */
import type { Rule } from "../rules.ts";

const BPS = 10_000;

export type AmountTolerance = { minor: number; bps: number };

export function toleranceOf(rule: Rule): AmountTolerance {
  return { minor: rule.amount_tolerance_minor ?? 0, bps: rule.amount_tolerance_bps ?? 0 };
}

/**
 * The tolerance for two amounts: a number of minor units, or of basis points of the larger one,
 * whichever is more.
 */
export function toleranceFor({ minor, bps }: AmountTolerance, a: number, b: number): number {
  const larger = Math.max(Math.abs(a), Math.abs(b));
  const share = Math.floor(larger / BPS) * bps + Math.floor(((larger % BPS) * bps) / BPS);
  return Math.max(minor, share);
}

/** Whether two amounts of one sign are near enough. Nothing but zero is near zero. */
export function isWithin(tolerance: AmountTolerance, a: number, b: number): boolean {
  if (a === b) return true;
  if (a === 0 || b === 0 || a > 0 !== b > 0) return false;
  return Math.abs(a - b) <= toleranceFor(tolerance, a, b);
}

/** The smallest and the largest amount within the tolerance of one. */
export function reachOf(tolerance: AmountTolerance, amount: number): { low: number; high: number } {
  const size = Math.abs(amount);
  if (size === 0) return { low: 0, high: 0 };
  const smallest = Math.max(1, size - toleranceFor(tolerance, size, 0));
  let largest = size + tolerance.minor;
  if (tolerance.bps > 0) {
    // The larger amount's share counts: x − size ≤ x · bps. Rounding may make it one too large,
    // never too small.
    const guess =
      tolerance.bps >= BPS
        ? Number.MAX_SAFE_INTEGER
        : Math.min(Number.MAX_SAFE_INTEGER, Math.ceil(size / (1 - tolerance.bps / BPS)) + 1);
    largest = Math.max(largest, guess);
    while (largest > size && !isWithin(tolerance, size, largest) && largest > guess - 3)
      largest -= 1;
  }
  return amount > 0
    ? { low: smallest, high: Math.min(Number.MAX_SAFE_INTEGER, largest) }
    : { low: -Math.min(Number.MAX_SAFE_INTEGER, largest), high: -smallest };
}
