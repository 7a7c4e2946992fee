/**
 * What is known of true matches as counts: of a pair's decisions, and before there are any. Words are
 * counted by cells: by side, field, shape, and whether both lines have the field.
 */
import { FIELD_COUNT, FIELDS, SHAPES } from "../prepare/texts.ts";
import { amountPrior, dayPrior } from "./levels.ts";

/** The number of matches that a prior counts as. */
export const PRIOR_MATCHES = 15;
const PRIOR_WORDS = 12;
export const STATES = 3;
export const FOUND = 0;
export const CLOSE = 1;
export const LOST = 2;
/** By field, shape, and whether both lines have the field. */
export const SIDE_CELLS = FIELD_COUNT * SHAPES * 2;
export const CELLS = 2 * SIDE_CELLS;

/**
 * Counts of what was seen of true matches, by amount level, day level and kind of word (found,
 * close, lost). The same lags are counted in business days, too, for rules that count in them: what
 * a pair was taught before version 1.2.0 has none.
 */
export type Knowledge = {
  amount: number[];
  day: number[];
  business_day?: number[];
  words: number[];
};

/** What is expected of any pair of sources, as if a few matches had been seen. */
export function priorKnowledge(): Knowledge {
  return {
    amount: [...amountPrior().map((share) => share * PRIOR_MATCHES)],
    day: [...dayPrior(5, 14).map((share) => share * PRIOR_MATCHES)],
    business_day: [...dayPrior(5, 14).map((share) => share * PRIOR_MATCHES)],
    words: [...wordPrior()],
  };
}

/**
 * How many of a field's words are found again on the other side, where both sides have the field.
 */
export function wordShares(words: readonly number[]): { field: string; found: number }[] {
  return FIELDS.map((field, at) => {
    let found = 0;
    let all = 0;
    for (let cell = 0; cell < CELLS; cell++) {
      if (cell % 2 === 0 || Math.floor(cell / 2 / SHAPES) % FIELD_COUNT !== at) continue;
      found += words[cell * STATES + FOUND] ?? 0;
      for (let state = 0; state < STATES; state++) all += words[cell * STATES + state] ?? 0;
    }
    return { field, found: all > 0 ? found / all : 0 };
  });
}

export function cellOf(side: number, field: number, shape: number, bothHave: number): number {
  return ((side * FIELD_COUNT + field) * SHAPES + shape) * 2 + bothHave;
}

/**
 * A word of a field that both lines have is mostly found again; of one that only one has, now and
 * then.
 */
export function wordPrior(): Float64Array {
  const counts = new Float64Array(CELLS * STATES);
  for (let cell = 0; cell < CELLS; cell++) {
    const shares = cell % 2 === 1 ? [0.72, 0.03, 0.25] : [0.25, 0.01, 0.74];
    shares.forEach((share, state) => {
      counts[cell * STATES + state] = share * PRIOR_WORDS;
    });
  }
  return counts;
}
