/**
 * Amounts by which matches of one pair of sources differ repeatedly: a bank's fee for a wire is the
 * same whatever was sent, so it is known by its amount and not by its share.
 */

/** ln of the share of matches that differ by just this, and how many others do. */
export type UsualDifference = { nats: number; others: number };

/** Fewer others are not a habit. */
const MIN_OTHERS = 2.5;
/**
 * How many times more than differences of about that size suggest; and at least four standard
 * deviations of such a count.
 */
const MIN_EXCESS = 6;
/** Two differences are similar within a tenth, or within `NEAR_MINOR` minor units. */
const NEAR = 0.1;
const NEAR_MINOR = 10;

/**
 * The least and the most of the usual differences of one sign, in minor units, and how many others
 * have one of them.
 */
export type UsualRange = { min: number; max: number; others: number };

export function rangeAround(
  usual: ReadonlyMap<number, UsualDifference>,
  difference: number,
): UsualRange {
  const alike = [...usual].filter(([other]) => other > 0 === difference > 0);
  const sizes = alike.map(([other]) => Math.abs(other));
  return {
    min: Math.min(...sizes),
    max: Math.max(...sizes),
    others: alike.reduce((all, [, { others }]) => all + others, 0),
  };
}

export class Differences {
  /** By left less right in minor units: how many matches, each by how probable it is. */
  private readonly counts = new Map<number, number>();

  add(difference: number, probability: number): void {
    if (difference !== 0)
      this.counts.set(difference, (this.counts.get(difference) ?? 0) + probability);
  }

  clear(): void {
    this.counts.clear();
  }

  /** @param matches how many these are. A match is not evidence for itself: one is subtracted. */
  usual(matches: number): ReadonlyMap<number, UsualDifference> {
    const sorted = [...this.counts].sort(([one], [other]) => one - other);
    const usual = new Map<number, UsualDifference>();
    let [from, to, near] = [0, 0, 0];
    for (const [difference, count] of sorted) {
      const reach = Math.max(NEAR_MINOR, Math.abs(difference) * NEAR);
      while (to < sorted.length && differenceAt(sorted, to) <= difference + reach)
        near += countAt(sorted, to++);
      while (differenceAt(sorted, from) < difference - reach) near -= countAt(sorted, from++);
      const others = count - 1;
      const smooth = (near - count) / (2 * reach);
      const byChance = MIN_EXCESS * smooth + 4 * Math.sqrt(smooth);
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
