/**
 * What is known about true matches, as counts: learned from a pair's decisions, or assumed before
 * there are any. Words are counted in cells: by side, field, shape, and whether both lines have the
 * field.
 */
import { FIELD_COUNT, FIELDS, SHAPES } from "../prepare/texts.ts";
import { amountPrior, dayPrior } from "./levels.ts";

/** How many matches the prior of amounts and days counts as. */
export const PRIOR_MATCHES = 15;
/** How many words the prior of each cell counts as. */
const PRIOR_WORDS = 12;
/** The states of a word: found on the other side, found with a slip, or not found. */
export const STATES = 3;
export const FOUND = 0;
export const CLOSE = 1;
export const LOST = 2;
/** The cells of a side: by field, shape, and whether both lines have the field. */
export const SIDE_CELLS = FIELD_COUNT * SHAPES * 2;
export const CELLS = 2 * SIDE_CELLS;

/**
 * Counts of observed true matches by amount level, by day level, and by cell and state of words
 * (found, close, lost). Lags are also counted in business days, for rules that count in them.
 * Knowledge from before version 1.2.0 has no business days.
 */
export type Knowledge = {
  amount: number[];
  day: number[];
  business_day?: number[];
  words: number[];
};

/** What is assumed for any pair of sources, as if a few matches had been observed. */
export function priorKnowledge(): Knowledge {
  return {
    amount: [...amountPrior().map((share) => share * PRIOR_MATCHES)],
    day: [...dayPrior(5, 14).map((share) => share * PRIOR_MATCHES)],
    business_day: [...dayPrior(5, 14).map((share) => share * PRIOR_MATCHES)],
    words: [...wordPrior()],
  };
}

/**
 * By field: the share of words that are found on the other side, among lines that both have the
 * field.
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
 * Assumed counts of words: a word in a field that both lines have is usually found on the other
 * side, a word in a field that only one line has is sometimes found there.
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
