/**
 * The model of true matches: how often amounts agree, how many days lines lie apart, and how often
 * words are found on both sides. It starts from priors and from decisions on this pair of sources,
 * and is refined on the pool by expectation maximization (Dempster, Laird and Rubin 1977).
 */

import { type Days, widestWindow } from "../candidates/window.ts";
import type { Texts } from "../prepare/texts.ts";
import type { Side } from "../side.ts";
import { WORD } from "./alignment.ts";
import { rangeAround, type UsualDifference, type UsualRange } from "./differences.ts";
import { type ModelEstimate, toNats, toSteps, type WordEstimate } from "./estimates.ts";
import { KINDS } from "./kinds.ts";
import {
  CELLS,
  CLOSE,
  cellOf,
  FOUND,
  type Knowledge,
  LOST,
  PRIOR_MATCHES,
  SIDE_CELLS,
  STATES,
  wordPrior,
} from "./knowledge.ts";
import { AMOUNT_LEVELS, amountPrior, DAY_LEVELS, dayPrior, normalized } from "./levels.ts";
import { type Lesson, Observations } from "./observations.ts";
import { type UsualRate, UsualRates } from "./rates.ts";

/** The share of lines that are assumed to have a counterpart before any are observed. */
const EXPECTED_MATCH_SHARE = 0.7;
/** How many occurrences of a word weigh as much as the counts of its cell. */
const WORD_PRIOR_WEIGHT = 5;
/** How many matches of one kind of movement weigh as much as the lags of all kinds. */
const KIND_PRIOR_WEIGHT = 25;
/**
 * The contexts of a word, and where their states begin among those of its shape: on the left or on
 * the right, each without and with its field on both sides.
 */
const CONTEXTS = [0, STATES, SIDE_CELLS * STATES, (SIDE_CELLS + 1) * STATES] as const;
/** Words that fewer lines have are stored as any word of their shape. */
const MIN_LINES_OF_STORED_WORD = 5;
const MAX_STORED_WORDS = 1000;

export class Model {
  /** ln of the probability of each amount level in a match. */
  readonly amountNats = new Float64Array(AMOUNT_LEVELS);
  /** ln of the probability of each day level, by kind of movement. */
  private readonly dayNats = new Float64Array(KINDS * DAY_LEVELS);
  /** ln of the odds that two lines are a match before any evidence. */
  prior = 0;
  private usual: ReadonlyMap<number, UsualDifference> = new Map();
  private usualRates = new UsualRates();
  private readonly texts: Texts;
  private readonly lesson: Lesson | null;
  private readonly amountCounts: Float64Array;
  private readonly dayCounts: Float64Array;
  private readonly cellCounts: Float64Array;
  /**
   * ln of the probabilities of FOUND, CLOSE and LOST by cell, and of FOUND and LOST by word, side
   * and whether both lines have the field.
   */
  private readonly cellNats = new Float64Array(CELLS * STATES);
  private readonly foundNats: Float64Array;
  private readonly lostNats: Float64Array;

  /** @param lesson what earlier rules of the run observed. */
  constructor(
    texts: Texts,
    knowledge: Knowledge | null,
    days: Days,
    leftLines: number,
    rightLines: number,
    lesson: Lesson | null = null,
  ) {
    this.texts = texts;
    this.lesson = lesson;
    // Decisions are added to the prior: a few shift it and many outweigh it.
    this.amountCounts = amountPrior().map(
      (share, level) => share * PRIOR_MATCHES + (knowledge?.amount[level] ?? 0),
    );
    const window = dayPrior(days.before, days.after, widestWindow(days));
    this.dayCounts = window.map(
      (share, level) =>
        share * PRIOR_MATCHES + (knowledge?.day[level] ?? 0) + lessonOfDay(lesson, window, level),
    );
    this.cellCounts = wordPrior().map(
      (count, at) => count + (knowledge?.words[at] ?? 0) + (lesson?.cells[at] ?? 0),
    );
    this.foundNats = new Float64Array(4 * texts.spelling.length);
    this.lostNats = new Float64Array(4 * texts.spelling.length);
    this.update(
      new Observations(texts),
      EXPECTED_MATCH_SHARE * Math.min(leftLines, rightLines),
      leftLines,
      rightLines,
    );
  }

  /** The fitted model in the form that is stored. */
  toEstimate(): ModelEstimate {
    const { amountNats, dayNats, cellNats, prior } = this;
    const kinds = Array.from({ length: KINDS }, (_, kind) =>
      toSteps(dayNats.subarray(kind * DAY_LEVELS, (kind + 1) * DAY_LEVELS)),
    );
    const lags = [...new Map(kinds.map((row) => [row.join(), row])).values()];
    const numbers = new Map(lags.map((row, at) => [row.join(), at]));
    return {
      prior,
      amount: toSteps(amountNats),
      lags,
      lags_of_kind: kinds.map((row) => numbers.get(row.join()) as number),
      cells: toSteps(cellNats),
      words: this.observedWords(),
      differences: Array.from(this.usual, ([difference, { nats, others }]) => [
        difference,
        nats,
        others,
      ]),
      rates: this.usualRates.toList(),
    };
  }

  /** Replaces the model by one that was stored. Its words may be unknown to these texts. */
  restore({ prior, amount, lags, lags_of_kind, cells, words, ...usual }: ModelEstimate): void {
    this.prior = prior;
    this.amountNats.set(toNats(amount));
    lags_of_kind.forEach((row, kind) => {
      this.dayNats.set(toNats(lags[row] as number[]), kind * DAY_LEVELS);
    });
    this.cellNats.set(toNats(cells));
    this.usual = new Map(
      usual.differences.map(([difference, nats, others]) => [difference, { nats, others }]),
    );
    this.usualRates = UsualRates.fromList(usual.rates);
    this.updateWords(new Observations(this.texts), null);
    for (const [word, steps] of words) {
      const nats = toNats(steps);
      const at = 4 * this.texts.numberOf(word);
      if (at < 0) continue;
      for (let context = 0; context < CONTEXTS.length; context++) {
        this.foundNats[at + context] = nats[context] as number;
        this.lostNats[at + context] = nats[4 + context] as number;
      }
    }
  }

  /** The frequent words of which the model knows more than of other words of their shape. */
  private observedWords(): WordEstimate[] {
    const { lineCount, spelling } = this.texts;
    const differs = (word: number) =>
      CONTEXTS.some((offset, context) => {
        const cell = this.statesOf(word) + offset;
        const at = word * 4 + context;
        return (
          this.foundNats[at] !== quantize(this.cellNats[cell + FOUND] as number) ||
          this.lostNats[at] !== quantize(this.cellNats[cell + LOST] as number)
        );
      });
    return Array.from(spelling.keys())
      .filter((word) => (lineCount[word] as number) >= MIN_LINES_OF_STORED_WORD && differs(word))
      .sort(
        (one, other) =>
          (lineCount[other] as number) - (lineCount[one] as number) ||
          ((spelling[one] as string) < (spelling[other] as string) ? -1 : 1),
      )
      .slice(0, MAX_STORED_WORDS)
      .map((word) => [
        spelling[word] as string,
        toSteps([
          ...this.foundNats.subarray(word * 4, word * 4 + 4),
          ...this.lostNats.subarray(word * 4, word * 4 + 4),
        ]),
      ]);
  }

  /**
   * Returns the usual difference, left minus right, if other matches repeatedly have it; otherwise
   * null.
   */
  usualDifference(difference: number): UsualDifference | null {
    return this.usual.get(difference) ?? null;
  }

  /** The range of the usual differences with the sign of this one. */
  usualRange(difference: number): UsualRange {
    return rangeAround(this.usual, difference);
  }

  /**
   * ln of the share of matches that differ by the same rate as these amounts; −Infinity if the rate
   * isn't usual.
   */
  rateNats(left: number, right: number): number {
    return this.usualRates.natsOf(left, right);
  }

  /** Returns the rate by which these amounts differ if it is usual; otherwise null. */
  usualRate(left: number, right: number): UsualRate | null {
    return this.usualRates.of(left, right);
  }

  /**
   * ln of the probability that a word of a match is on one side only: on the left (0) or on the
   * right (1).
   */
  wordLost(side: number, word: number, bothHave: number): number {
    return this.lostNats[word * 4 + side * 2 + bothHave] as number;
  }

  wordNats(side: Side, field: number, word: number, bothHave: number, state: number): number {
    if (state === WORD.unseen) return 0;
    const sideNumber = side === "left" ? 0 : 1;
    if (state === WORD.close) {
      const cell = cellOf(sideNumber, field, this.texts.shape[word] as number, bothHave);
      return (
        (this.cellNats[cell * STATES + CLOSE] as number) +
        (CLOSE_RARITY[(this.texts.shape[word] as number) >> 2] as number)
      );
    }
    const at = word * 4 + sideNumber * 2 + bothHave;
    if (state === WORD.alone) return this.lostNats[at] as number;
    return this.foundNats[at] as number;
  }

  /** Fits the model to the observations and the prior. */
  update(seen: Observations, matches: number, leftLines: number, rightLines: number): void {
    const amount = normalized(
      this.amountCounts.map((count, level) => count + (seen.amount[level] as number)),
    );
    const day = normalized(
      this.dayCounts.map((count, level) => count + (seen.day[level] as number)),
    );
    amount.forEach((share, level) => {
      this.amountNats[level] = Math.log(share);
    });
    this.updateDays(seen, day);
    const cells = this.cellCounts.map((count, at) => count + (seen.cells[at] as number));
    for (let cell = 0; cell < CELLS; cell++) {
      const total =
        (cells[cell * 3] as number) +
        (cells[cell * 3 + 1] as number) +
        (cells[cell * 3 + 2] as number);
      for (let state = 0; state < STATES; state++)
        this.cellNats[cell * STATES + state] = Math.log(
          (cells[cell * STATES + state] as number) / total,
        );
    }
    this.usual = seen.differences.usual(PRIOR_MATCHES + seen.matches);
    this.usualRates = seen.rates.usual(PRIOR_MATCHES + seen.matches);
    this.updateWords(seen, this.lesson);
    this.prior = priorOdds(matches, leftLines, rightLines);
  }

  /**
   * Updates the lags of each kind of movement. A kind that was rarely observed has mostly the lags
   * of all kinds.
   */
  private updateDays(seen: Observations, all: Float64Array): void {
    const { dayNats, lesson } = this;
    for (let kind = 0; kind < KINDS; kind++) {
      const from = kind * DAY_LEVELS;
      const kindCount = (level: number) =>
        (seen.lags[from + level] as number) + (lesson?.lags[from + level] ?? 0);
      let total = KIND_PRIOR_WEIGHT;
      for (let level = 0; level < DAY_LEVELS; level++)
        if ((all[level] as number) > 0) total += kindCount(level);
      for (let level = 0; level < DAY_LEVELS; level++) {
        const share = all[level] as number;
        dayNats[from + level] = Math.log(
          Math.max(share > 0 ? (kindCount(level) + KIND_PRIOR_WEIGHT * share) / total : 0, 1e-9),
        );
      }
    }
  }

  /** ln of the probability that the lines of a match of this kind have this day level. */
  lagNats(kind: number, level: number): number {
    return this.dayNats[kind * DAY_LEVELS + level] as number;
  }

  /** Where `cellNats` has the states of words like this one; see CONTEXTS. */
  private statesOf(word: number): number {
    const { mainField, shape } = this.texts;
    return cellOf(0, mainField[word] as number, shape[word] as number, 0) * STATES;
  }

  private updateWords(seen: Observations, lesson: Lesson | null): void {
    const { shape } = this.texts;
    const { foundNats, lostNats } = this;
    const shares = this.cellNats.map(Math.exp);
    const cellNats = this.cellNats.map(quantize);
    for (let word = 0; word < shape.length; word++) {
      const states = this.statesOf(word);
      for (let context = 0; context < CONTEXTS.length; context++) {
        const cell = states + (CONTEXTS[context] as number);
        const at = word * 4 + context;
        const foundSeen = (seen.found[at] as number) + (lesson?.found[at] ?? 0);
        const lostSeen = (seen.lost[at] as number) + (lesson?.lost[at] ?? 0);
        if (foundSeen === 0 && lostSeen === 0) {
          foundNats[at] = cellNats[cell + FOUND] as number;
          lostNats[at] = cellNats[cell + LOST] as number;
          continue;
        }
        const total = foundSeen + lostSeen + WORD_PRIOR_WEIGHT;
        foundNats[at] = quantize(
          Math.log((foundSeen + WORD_PRIOR_WEIGHT * (shares[cell + FOUND] as number)) / total),
        );
        lostNats[at] = quantize(
          Math.log((lostSeen + WORD_PRIOR_WEIGHT * (shares[cell + LOST] as number)) / total),
        );
      }
    }
  }
}

/** The lesson's count of a day level, if the rule's window includes it. */
function lessonOfDay(lesson: Lesson | null, window: Float64Array, level: number): number {
  return (window[level] as number) > 0 ? (lesson?.day[level] ?? 0) : 0;
}

/** Rounds to 2^−20 nats, so that sums are exact and don't depend on the order of words. */
function quantize(nats: number): number {
  return Math.round(nats * 2 ** 20) / 2 ** 20;
}

/**
 * How rarely unrelated words are close by chance, in nats: words of letters, of digits and of both.
 * Consecutive numbers are often close.
 */
const CLOSE_RARITY = [8.5, 5.5, 7];

/**
 * ln of the odds that two given lines are a match rather than both unmatched, if there are
 * `matches` in total.
 */
function priorOdds(matches: number, leftLines: number, rightLines: number): number {
  const left = leftLines + 5;
  const right = rightLines + 5;
  const expected = Math.min(0.99 * Math.min(left, right), matches + 3);
  const leftOpen = Math.max(0.02, 1 - expected / left);
  const rightOpen = Math.max(0.02, 1 - expected / right);
  return Math.log(expected / (left * right) / (leftOpen * rightOpen));
}
