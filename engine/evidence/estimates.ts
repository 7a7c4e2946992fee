/**
 * What a full run estimated, in plain JSON: it is stored with the pair, and incremental runs weigh
 * new lines by it.
 */

import type { Days } from "../candidates/window.ts";
import type { DayKind } from "../rules.ts";
import type { Side } from "../side.ts";
import type { StoredRate } from "./rates.ts";

/** A word, and how probably it is found (4 steps) and lost (4), by side and context. */
export type WordEstimate = [string, number[]];

/** A fitted model of matches (model.ts). Arrays are logarithms of probabilities, in steps. */
export type ModelEstimate = {
  prior: number;
  amount: number[];
  /** The distinct rows of lags, and for each kind of movement the row that it has. */
  lags: number[][];
  lags_of_kind: number[];
  cells: number[];
  words: WordEstimate[];
  differences: [number, number, number][];
  rates: StoredRate[];
};

/**
 * What a score rule estimated. `window`: the days in which it searches counterparts. `day_rarity`:
 * in steps.
 */
export type RuleEstimate = { model: ModelEstimate; window: Days; day_rarity: number[] };

export type Estimates = {
  /** How many lines they are estimated from. */
  lines: number;
  /** By rule; null if it weighs nothing. */
  rules: (RuleEstimate | null)[];
  /** The first words of descriptions that distinguish kinds of movements (kinds.ts). */
  first_words: Record<Side, string[]>;
  /** By kind of days: how far the lines of sure matches lie apart. */
  reach: Partial<Record<DayKind, Days>>;
};

/** Nats are stored as whole numbers of this part of a nat, which keeps estimates short. */
const STEPS_PER_NAT = 2 ** 12;

export function toSteps(nats: ArrayLike<number>): number[] {
  return Array.from(nats, (value) => Math.round(value * STEPS_PER_NAT));
}

export function toNats(steps: readonly number[]): number[] {
  return steps.map((value) => value / STEPS_PER_NAT);
}
