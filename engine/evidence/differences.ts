/**
 * Finds amounts by which matches of one pair of sources differ repeatedly. A bank's fee for a wire,
 * for instance, is the same for any amount sent, so it is known by its amount and not by its share.
 */

/** `nats`: ln of the share of matches with this difference. `others`: how many others have it. */
export type UsualDifference = { nats: number; others: number };

/** A difference is usual only if at least this many other matches have it. */
const MIN_OTHERS = 2.5;
/**
 * A usual difference must occur this many times as often as differences of about its size suggest,
 * plus four standard deviations of that count.
 */
const MIN_EXCESS = 6;
/** Differences are of about the same size within a tenth, or within `NEAR_MINOR` minor units. */
const NEAR = 0.1;
const NEAR_MINOR = 10;

/**
 * The smallest and the largest of the usual differences of one sign, in minor units, and how many
 * others have one of them.
 */
export type UsualRange = { min: number; max: number; others: number };

export function rangeAround(
  usual: ReadonlyMap<number, UsualDifference>,
  difference: number,
): UsualRange {
  const sameSign = [...usual].filter(([other]) => other > 0 === difference > 0);
  const sizes = sameSign.map(([other]) => Math.abs(other));
  return {
    min: Math.min(...sizes),
    max: Math.max(...sizes),
    others: sameSign.reduce((all, [, { others }]) => all + others, 0),
  };
}

export class Differences {
  /** By left minus right in minor units: the number of matches, weighted by probability. */
  private readonly counts = new Map<number, number>();

  add(difference: number, probability: number): void {
    if (difference !== 0)
      this.counts.set(difference, (this.counts.get(difference) ?? 0) + probability);
  }

  clear(): void {
    this.counts.clear();
  }

  /**
   * @param matches their number. One is taken off each count: a match is no evidence for itself.
   */
  usual(matches: number): ReadonlyMap<number, UsualDifference> {
    const sorted = [...this.counts].sort(([one], [other]) => one - other);
    const usual = new Map<number, UsualDifference>();
    let [from, to, near] = [0, 0, 0];
    for (const [difference, count] of sorted) {
      const radius = Math.max(NEAR_MINOR, Math.abs(difference) * NEAR);
      while (to < sorted.length && differenceAt(sorted, to) <= difference + radius)
        near += countAt(sorted, to++);
      while (differenceAt(sorted, from) < difference - radius) near -= countAt(sorted, from++);
      const others = count - 1;
      const expected = (near - count) / (2 * radius);
      const byChance = MIN_EXCESS * expected + 4 * Math.sqrt(expected);
      if (others >= MIN_OTHERS + byChance)
        usual.set(difference, { nats: Math.log(others / matches), others });
    }
    return usual;
  }
}

function differenceAt(sorted: readonly (readonly [number, number])[], at: number): number {
  return sorted[at]?.[0] ?? Infinity;
}

function countAt(sorted: readonly (readonly [number, number])[], at: number): number {
  return sorted[at]?.[1] ?? 0;
}
