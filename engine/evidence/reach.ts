/**
 * How far the days of a pair's sources are apart is learned from its sure matches: if some are at
 * the edge of a rule's window or beyond it, the window follows them, within bounds. The rule's own
 * days are only the prior.
 */

import type { Pool } from "../candidates/pool.ts";
import { type Days, intersectionOf, unionOf } from "../candidates/window.ts";
import type { Progress } from "../progress.ts";
import type { Side } from "../side.ts";
import type { ProbablePair, Weighing } from "./weighing.ts";

/**
 * A pair with this probability is sure; if a pair has the second one, neither line looks for
 * another.
 */
const SURE = 0.99;
const TAKEN = 0.5;
/** Fewer sure matches are not a habit. */
const MIN_SURE_MATCHES = 30;
/** A match is not evidence for itself: this many are as far apart, or farther. */
const MIN_FAR_MATCHES = 2;

/** How far days lie apart in sure matches, and which nodes are in probable ones. */
export class SureLags {
  private matches = 0;
  private readonly pool: Pool;
  private readonly counts = new Map<number, number>();
  private readonly taken: { left: Uint8Array; right: Uint8Array };

  constructor(pool: Pool) {
    this.pool = pool;
    this.taken = { left: new Uint8Array(pool.left.count), right: new Uint8Array(pool.right.count) };
  }

  clear(): void {
    this.matches = 0;
    this.counts.clear();
    this.taken.left.fill(0);
    this.taken.right.fill(0);
  }

  add(left: number, right: number, probability: number): void {
    if (probability < TAKEN) return;
    this.taken.left[left] = 1;
    this.taken.right[right] = 1;
    if (probability < SURE) return;
    const lag = lagOf(this.pool, left, right);
    this.matches += 1;
    this.counts.set(lag, (this.counts.get(lag) ?? 0) + 1);
  }

  isTaken(side: Side, node: number): boolean {
    return this.taken[side][node] === 1;
  }

  /**
   * As far as several sure matches lie apart, either way: nowhere where there are too few to tell.
   */
  reach(): Days {
    if (this.matches < MIN_SURE_MATCHES) return { before: 0, after: 0 };
    const lags = [...this.counts].sort(([one], [other]) => one - other);
    return { before: Math.max(0, -nthLag(lags)), after: Math.max(0, nthLag(lags.reverse())) };
  }
}

/** The lag of the second of these, counted one by one. */
function nthLag(lags: readonly (readonly [number, number])[]): number {
  let seen = 0;
  for (const [lag, count] of lags) {
    seen += count;
    if (seen >= MIN_FAR_MATCHES) return lag;
  }
  return 0;
}

/**
 * Lines without a partner within the window search farther, as far as it may follow; if sure
 * matches are found there, it does.
 * @returns those that it then contains.
 */
export function* extendReach(
  weighing: Weighing,
  sure: SureLags,
  sample: Int32Array,
): Generator<Progress, ProbablePair[]> {
  const { pool, days, farthest } = weighing;
  const isBeyond = (left: number, right: number, { before, after }: Days) => {
    const lag = lagOf(pool, left, right);
    return lag < -before || lag > after;
  };
  if (days.before === farthest.before && days.after === farthest.after) return [];
  weighing.setWindow(farthest);
  const pairs = yield* weighing.find(sample.filter((node) => !sure.isTaken(pool.seeking, node)));
  const far = [...weighing.probable(pairs)].filter(
    ({ left, right, probability }) =>
      probability >= SURE &&
      isBeyond(left, right, days) &&
      !sure.isTaken("left", left) &&
      !sure.isTaken("right", right),
  );
  for (const { left, right, probability } of far) sure.add(left, right, probability);
  const followed = unionOf(days, intersectionOf(sure.reach(), farthest));
  weighing.setWindow(followed);
  return far.filter(({ left, right }) => !isBeyond(left, right, followed));
}

function lagOf({ left, right }: Pool, l: number, r: number): number {
  return (right.day[r] as number) - (left.day[l] as number);
}
