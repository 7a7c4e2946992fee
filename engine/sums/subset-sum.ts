/**
 * Finds which of a few amounts add up to another, by meeting in the middle (Horowitz and Sahni,
 * "Computing partitions with applications to the knapsack problem", Journal of the ACM 21, 1974)
 * with a bound on the size of subsets, and estimates how likely a sum is to be chance.
 */
import { lowerBound } from "../prepare/lower-bound.ts";

/** The maximum number of amounts. All subsets of each half are listed, as bit masks. */
export const MAX_SUMMANDS = 22;

/**
 * @param amounts at most `MAX_SUMMANDS`. Negative amounts are credit notes among the paid lines.
 * @param low the minimum of the sum, from zero on. `high` is its maximum.
 * @returns the positions of each subset of `min` to `max` amounts that adds up, at most `limit` of
 *   them.
 */
export function subsetSums(
  amounts: readonly number[],
  low: number,
  high: number,
  min: number,
  max: number,
  limit: number,
): number[][] {
  const middle = amounts.length >> 1;
  let credits = 0;
  for (const amount of amounts) if (amount < 0) credits -= amount;
  const front = sumsOf(amounts.slice(0, middle), high + credits, max);
  const back = sumsOf(amounts.slice(middle), high + credits, max);
  const order = Array.from({ length: back.sum.length }, (_, at) => at).sort(
    (a, b) => (back.sum[a] as number) - (back.sum[b] as number) || a - b,
  );
  const sorted = Float64Array.from(order, (at) => back.sum[at] as number);
  const found: number[][] = [];
  for (let at = 0; at < front.sum.length; at++) {
    const sum = front.sum[at] as number;
    const mask = front.mask[at] as number;
    for (
      let other = lowerBound(sorted, low - sum);
      other < sorted.length && (sorted[other] as number) <= high - sum;
      other++
    ) {
      const otherMask = back.mask[order[other] as number] as number;
      const size = bitCount(mask) + bitCount(otherMask);
      if (size < min || size > max) continue;
      found.push(positions(mask, 0).concat(positions(otherMask, middle)));
      if (found.length >= limit) return found;
    }
  }
  return found;
}

/** The number of subsets of `min` to `max` of `count` amounts. */
export function combinations(count: number, min: number, max: number): number {
  let total = 0;
  let choose = 1;
  for (let size = 1; size <= Math.min(count, max); size++) {
    choose = (choose * (count - size + 1)) / size;
    if (size >= min) total += choose;
  }
  return total;
}

/**
 * The number of different values over which the sums of these amounts spread: two and a half
 * standard deviations of a random subset of limited size, in steps of which most of the amounts are
 * multiples.
 */
export function spreadOf(amounts: readonly number[], target: number, max: number): number {
  let squares = 0;
  for (const amount of amounts) squares += amount * amount;
  const share = Math.min(1 / 4, max / Math.max(1, amounts.length));
  return Math.max(1, (2.5 * Math.sqrt(squares * share)) / grainOf(amounts, target));
}

const GRAINS = [100_000, 10_000, 5000, 1000, 500, 100, 50, 10, 5];

function grainOf(amounts: readonly number[], target: number): number {
  for (const grain of GRAINS) {
    if (target % grain !== 0) continue;
    const multiples = amounts.filter((amount) => amount % grain === 0).length;
    if (multiples * 2 > amounts.length) return grain;
  }
  return 1;
}

function sumsOf(
  amounts: readonly number[],
  high: number,
  max: number,
): { sum: number[]; mask: number[] } {
  const sum = [0];
  const mask = [0];
  amounts.forEach((amount, bit) => {
    const before = sum.length;
    for (let at = 0; at < before; at++) {
      const next = (sum[at] as number) + amount;
      if (next > high || bitCount(mask[at] as number) >= max) continue;
      sum.push(next);
      mask.push((mask[at] as number) | (1 << bit));
    }
  });
  return { sum, mask };
}

function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

function positions(mask: number, offset: number): number[] {
  const places: number[] = [];
  for (let bit = 0; bit < 32; bit++) if (mask & (1 << bit)) places.push(bit + offset);
  return places;
}
