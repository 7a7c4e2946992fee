import { amountMarks } from "../../../wire/amount-marks.ts";
import { writtenAmount } from "../../../wire/money.ts";

/** How many rows of a table are compared with each other. */
export const MAX_COMPARED_ROWS = 500;

/**
 * An amount in thousandths, which is precise enough for any currency; NaN for a text that is not an
 * amount.
 */
export function thousandthsOf(text: string): number {
  const marks = amountMarks(text);
  const read = marks ? writtenAmount(marks.body, "KWD") : undefined;
  if (typeof read !== "number") return Number.NaN;
  return marks?.negative ? -Math.abs(read) : read;
}

/**
 * The share of a balance's steps that have the size of the amount in their row, or in the row
 * before. Rows without a balance are left out.
 */
export function shareOfSteps(
  balances: readonly number[],
  sizes: readonly (number | undefined)[],
): number {
  const fits = { after: 0, before: 0, steps: 0 };
  for (let row = 1; row < Math.min(balances.length, MAX_COMPARED_ROWS); row++) {
    const step = Math.abs((balances[row] ?? 0) - (balances[row - 1] ?? 0));
    if (Number.isNaN(step)) continue;
    fits.steps++;
    if (isEqual(step, sizes[row])) fits.after++;
    if (isEqual(step, sizes[row - 1])) fits.before++;
  }
  return fits.steps === 0 ? 0 : Math.max(fits.after, fits.before) / fits.steps;
}

/** Whether two amounts are equal, apart from the noise of binary fractions. */
function isEqual(step: number, size = Number.NaN): boolean {
  return Math.abs(step - size) < 1e-6 * Math.max(1, step);
}
