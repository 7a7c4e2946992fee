/**
 * Matches, stored in columns: a million pairs take a few dozen megabytes. Lines are numbered in the
 * order in which they were added.
 */

import type { Lines } from "./lines.ts";
import { growColumn } from "./prepare/hash.ts";
import type { Side } from "./side.ts";

/** How a match was found, as a byte. `explain` returns its name. */
export const BASIS = {
  /** The only line with these fields on either side. */
  unique: 0,
  /** Several lines were indistinguishable and were paired in order. */
  in_order: 1,
  /** Clearly the nearest of several lines. */
  nearest: 2,
  /** All lines that share a key. */
  keyed: 3,
  /** The only subset that adds up to the amount. */
  sum: 4,
  /** The weight of evidence. */
  evidence: 5,
} as const;
export type Basis = (typeof BASIS)[keyof typeof BASIS];

/** Why a match was not confirmed automatically. */
export const HELD = {
  /** It was confirmed. */
  no: 0,
  /** The rule only suggests matches. */
  rule: 1,
  /** The pair of sources has no track record yet. */
  track_record: 2,
  /** The score is too low. */
  score: 3,
  /** The margin over the runner-up is too small. */
  margin: 4,
  /** A sum that has other solutions or is likely to be a coincidence. */
  chance: 5,
  /** The search used up its budget of steps. */
  budget: 6,
  /** The lines contradict each other. */
  contradiction: 7,
  /** The days are farther apart than the rule allows. */
  window: 8,
} as const;
export type Held = (typeof HELD)[keyof typeof HELD];

/** `note` is a sentence about what no field shows. */
export type Verdict = {
  basis: Basis;
  held: Held;
  score: number;
  margin: number;
  runnerUp?: RunnerUp;
  note?: string;
  /** Whether the lines of a sum name each other. */
  isNamed?: boolean;
  /** Whether a text states the difference of the amounts, or other matches have the same one. */
  isExplained?: boolean;
};
/** The second-best line, which may be on either side. */
export type RunnerUp = { side: Side; line: number };

const FIRST_CAPACITY = 256;

export class Matches {
  length = 0;
  rule = new Uint8Array(FIRST_CAPACITY);
  basis = new Uint8Array(FIRST_CAPACITY);
  held = new Uint8Array(FIRST_CAPACITY);
  /** Calibrated probability, 0 to 1. */
  score = new Float32Array(FIRST_CAPACITY);
  /** Distance to the second-best solution in nats of evidence; Infinity if there is none. */
  margin = new Float32Array(FIRST_CAPACITY);
  /**
   * Members of match i are at `start[i]` to before `start[i + 1]`: first `lefts[i]` lines of the
   * left side, then those of the right side.
   */
  start = new Uint32Array(FIRST_CAPACITY + 1);
  lefts = new Uint32Array(FIRST_CAPACITY);
  member = new Int32Array(2 * FIRST_CAPACITY);
  /** Allocated amounts by member, for matches that don't allocate all lines in full. */
  readonly partial = new Map<number, readonly number[]>();
  readonly runnersUp = new Map<number, RunnerUp>();
  readonly notes = new Map<number, string>();
  readonly namedSums = new Set<number>();

  add(
    rule: number,
    left: ArrayLike<number>,
    right: ArrayLike<number>,
    verdict: Verdict,
    allocated?: readonly number[],
  ): number {
    const index = this.length;
    const from = this.start[index] as number;
    const to = from + left.length + right.length;
    if (index === this.rule.length) this.growMatches();
    if (to > this.member.length)
      this.member = growColumn(this.member, Math.max(to, 2 * this.member.length));
    this.rule[index] = rule;
    this.basis[index] = verdict.basis;
    this.held[index] = verdict.held;
    this.score[index] = verdict.score;
    this.margin[index] = verdict.margin;
    this.lefts[index] = left.length;
    for (let at = 0; at < left.length; at++) this.member[from + at] = left[at] as number;
    for (let at = 0; at < right.length; at++)
      this.member[from + left.length + at] = right[at] as number;
    this.start[index + 1] = to;
    if (allocated) this.partial.set(index, allocated);
    if (verdict.runnerUp) this.runnersUp.set(index, verdict.runnerUp);
    if (verdict.note) this.notes.set(index, verdict.note);
    if (verdict.isNamed) this.namedSums.add(index);
    this.length += 1;
    return index;
  }

  left(index: number): Int32Array {
    const from = this.start[index] as number;
    return this.member.subarray(from, from + (this.lefts[index] as number));
  }

  right(index: number): Int32Array {
    return this.member.subarray(
      (this.start[index] as number) + (this.lefts[index] as number),
      this.start[index + 1],
    );
  }

  verdict(index: number): Verdict {
    return {
      basis: this.basis[index] as Basis,
      held: this.held[index] as Held,
      score: this.score[index] as number,
      margin: this.margin[index] as number,
      runnerUp: this.runnersUp.get(index),
      note: this.notes.get(index),
    };
  }

  /** The amount allocated to each member, left members first. */
  allocated(index: number, left: Lines, right: Lines): readonly number[] {
    const partial = this.partial.get(index);
    if (partial) return partial;
    return [
      ...Array.from(this.left(index), (line) => left.amount[line] as number),
      ...Array.from(this.right(index), (line) => right.amount[line] as number),
    ];
  }

  private growMatches(): void {
    const capacity = 2 * this.rule.length;
    this.rule = growColumn(this.rule, capacity);
    this.basis = growColumn(this.basis, capacity);
    this.held = growColumn(this.held, capacity);
    this.score = growColumn(this.score, capacity);
    this.margin = growColumn(this.margin, capacity);
    this.start = growColumn(this.start, capacity + 1);
    this.lefts = growColumn(this.lefts, capacity);
  }
}
