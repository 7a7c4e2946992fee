/**
 * Learns from a pair's sure matches how many days their lines lie apart. If several of them are
 * beyond a rule's window, the window is extended to include them, within limits.
 */

import type { Pool } from "../candidates/pool.ts";
import { type Days, intersectionOf, unionOf } from "../candidates/window.ts";
import type { Progress } from "../progress.ts";
import type { Side } from "../side.ts";
import type { ProbablePair, Weighing } from "./weighing.ts";

/**
 * From the first probability on a pair is a sure match. From the second on its lines are not
 * searched for other counterparts.
 */
const SURE = 0.99;
const TAKEN = 0.5;
/** With fewer sure matches, nothing is learned. */
const MIN_SURE_MATCHES = 30;
/** This many matches must have a lag or a larger one: a match is no evidence for itself. */
const MIN_FAR_MATCHES = 2;

/** Counts the lags of sure matches, and marks the nodes of probable matches. */
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
   * The largest lags that several sure matches have, in both directions; 0 if there are too few
   * sure matches.
   */
  reach(): Days {
    if (this.matches < MIN_SURE_MATCHES) return { before: 0, after: 0 };
    const lags = [...this.counts].sort(([one], [other]) => one - other);
    return {
      before: Math.max(0, -firstFrequentLag(lags)),
      after: Math.max(0, firstFrequentLag(lags.reverse())),
    };
  }
}

/** The first lag at which MIN_FAR_MATCHES matches have been counted. */
function firstFrequentLag(lags: readonly (readonly [number, number])[]): number {
  let counted = 0;
  for (const [lag, count] of lags) {
    counted += count;
    if (counted >= MIN_FAR_MATCHES) return lag;
  }
  return 0;
}

/**
 * Searches counterparts of lines without one in the widest allowed window, and extends the rule's
 * window if several sure matches are found there.
 * @returns the new sure matches within the extended window.
 */
export function* extendReach(
  weighing: Weighing,
  sure: SureLags,
  sample: Int32Array,
): Generator<Progress, ProbablePair[]> {
  const { pool, days, widest } = weighing;
  const isBeyond = (left: number, right: number, { before, after }: Days) => {
    const lag = lagOf(pool, left, right);
    return lag < -before || lag > after;
  };
  if (days.before === widest.before && days.after === widest.after) return [];
  weighing.setWindow(widest);
  const pairs = yield* weighing.find(sample.filter((node) => !sure.isTaken(pool.seeking, node)));
  const far = [...weighing.probable(pairs)].filter(
    ({ left, right, probability }) =>
      probability >= SURE &&
      isBeyond(left, right, days) &&
      !sure.isTaken("left", left) &&
      !sure.isTaken("right", right),
  );
  for (const { left, right, probability } of far) sure.add(left, right, probability);
  const extended = unionOf(days, intersectionOf(sure.reach(), widest));
  weighing.setWindow(extended);
  return far.filter(({ left, right }) => !isBeyond(left, right, extended));
}

function lagOf({ left, right }: Pool, l: number, r: number): number {
  return (right.day[r] as number) - (left.day[l] as number);
}
