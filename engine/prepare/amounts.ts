/** Computes the tolerance of amounts under a rule, in minor units and without rounding errors. */
import type { Rule } from "../rules.ts";

const BPS = 10_000;

export type AmountTolerance = { minor: number; bps: number };

export function toleranceOf(rule: Rule): AmountTolerance {
  return { minor: rule.amount_tolerance_minor ?? 0, bps: rule.amount_tolerance_bps ?? 0 };
}

/**
 * The tolerance for two amounts in minor units: the larger of the fixed tolerance and the basis
 * points of the larger amount.
 */
export function toleranceFor({ minor, bps }: AmountTolerance, a: number, b: number): number {
  const larger = Math.max(Math.abs(a), Math.abs(b));
  const share = Math.floor(larger / BPS) * bps + Math.floor(((larger % BPS) * bps) / BPS);
  return Math.max(minor, share);
}

/** Whether two amounts have the same sign and are within the tolerance. Only zero is near zero. */
export function isWithin(tolerance: AmountTolerance, a: number, b: number): boolean {
  if (a === b) return true;
  if (a === 0 || b === 0 || a > 0 !== b > 0) return false;
  return Math.abs(a - b) <= toleranceFor(tolerance, a, b);
}

/** The smallest and the largest amount within the tolerance of an amount. */
export function reachOf(tolerance: AmountTolerance, amount: number): { low: number; high: number } {
  const size = Math.abs(amount);
  if (size === 0) return { low: 0, high: 0 };
  const smallest = Math.max(1, size - toleranceFor(tolerance, size, 0));
  let largest = size + tolerance.minor;
  if (tolerance.bps > 0) {
    // The tolerance is a share of the larger amount: x − size ≤ x · bps. Because of rounding, the
    // guess may be too large, but never too small.
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
