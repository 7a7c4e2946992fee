/**
 * What is expected of true matches: how often amounts agree, days lag and words survive. Starts
 * from priors or from decisions on this pair of sources, and is refined on the pool itself by
 * expectation maximization (Dempster, Laird and Rubin 1977).
 */

import { type Days, widest } from "../candidates/window.ts";
import { FIELD_COUNT, FIELDS, SHAPES, type Texts } from "../prepare/texts.ts";
import type { Side } from "../side.ts";
import { type Alignment, WORD } from "./alignment.ts";
import { Differences, rangeAround, type UsualDifference, type UsualRange } from "./differences.ts";
import { KINDS } from "./kinds.ts";
import {
  AMOUNT_LEVELS,
  amountPrior,
  DAY_LEVELS,
  dayPrior,
  daysInLevel,
  normalized,
} from "./levels.ts";
import { Rates, type UsualRate, UsualRates } from "./rates.ts";

/** The number of matches that a prior counts as. */
const PRIOR_MATCHES = 15;
const PRIOR_WORDS = 12;
/** The share of the lines that is taken to have a partner before any is seen. */
const EXPECTED = 0.7;
const WORD_WEIGHS = 5;
/** Matches of one kind of movement that weigh as much as what is known of all. */
const KIND_WEIGHS = 25;
const STATES = 3;
const FOUND = 0;
const CLOSE = 1;
const LOST = 2;
/** By field, shape, and whether both lines have the field. */
const SIDE_CELLS = FIELD_COUNT * SHAPES * 2;
const CELLS = 2 * SIDE_CELLS;

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

export class Model {
  /** ln of the probability of each level in a match. */
  readonly amountNats = new Float64Array(AMOUNT_LEVELS);
  /** By kind of movement, then day level. */
  private readonly dayNats = new Float64Array(KINDS * DAY_LEVELS);
  /** ln of the odds of a match of two lines before any evidence. */
  prior = 0;
  private usual: ReadonlyMap<number, UsualDifference> = new Map();
  private usualRates = new UsualRates();
  private readonly texts: Texts;
  private readonly lesson: Lesson | null;
  private readonly amountCounts: Float64Array;
  private readonly dayCounts: Float64Array;
  private readonly cellCounts: Float64Array;
  /**
   * ln of the probabilities of FOUND, CLOSE and LOST by cell; and by word, side and whether the
   * field is there.
   */
  private readonly cellNats = new Float64Array(CELLS * STATES);
  private readonly foundNats: Float64Array;
  private readonly lostNats: Float64Array;

  /** @param lesson what a rule before this one saw in the same run. */
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
    // Decisions are added to the prior: a few shift it, many outweigh it.
    this.amountCounts = amountPrior().map(
      (share, level) => share * PRIOR_MATCHES + (knowledge?.amount[level] ?? 0),
    );
    const window = dayPrior(days.before, days.after, widest(days));
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
      EXPECTED * Math.min(leftLines, rightLines),
      leftLines,
      rightLines,
    );
  }

  /**
   * What is known of amounts that differ by this much, left less right: null where hardly any
   * others do.
   */
  usualDifference(difference: number): UsualDifference | null {
    return this.usual.get(difference) ?? null;
  }

  /** What usual differences there are of the sign of one of them. */
  usualRange(difference: number): UsualRange {
    return rangeAround(this.usual, difference);
  }

  /**
   * ln of the share of matches that differ by the rate that these amounts do; −Infinity where
   * hardly any do.
   */
  rateNats(left: number, right: number): number {
    return this.usualRates.natsOf(left, right);
  }

  /** What is known of a share that these amounts differ by: null where hardly any others do. */
  usualRate(left: number, right: number): UsualRate | null {
    return this.usualRates.of(left, right);
  }

  /**
   * ln of how likely a word of a match is to stand on one side only: of the left line (0) or the
   * right one (1).
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

  /** The model that fits what was seen best, given the prior. */
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
    this.updateWords(seen);
    this.prior = priorOdds(matches, leftLines, rightLines);
  }

  /**
   * The lags of each kind of movement, as far as it was seen: of one that was not, those of all.
   */
  private updateDays(seen: Observations, all: Float64Array): void {
    const { dayNats, lesson } = this;
    for (let kind = 0; kind < KINDS; kind++) {
      const from = kind * DAY_LEVELS;
      const own = (level: number) =>
        (seen.lags[from + level] as number) + (lesson?.lags[from + level] ?? 0);
      let total = KIND_WEIGHS;
      for (let level = 0; level < DAY_LEVELS; level++)
        if ((all[level] as number) > 0) total += own(level);
      for (let level = 0; level < DAY_LEVELS; level++) {
        const share = all[level] as number;
        dayNats[from + level] = Math.log(
          Math.max(share > 0 ? (own(level) + KIND_WEIGHS * share) / total : 0, 1e-9),
        );
      }
    }
  }

  /** ln of the probability that lines of a match of this kind are so far apart. */
  lagNats(kind: number, level: number): number {
    return this.dayNats[kind * DAY_LEVELS + level] as number;
  }

  private updateWords(seen: Observations): void {
    const { shape } = this.texts;
    const { foundNats, lostNats } = this;
    const shares = this.cellNats.map(Math.exp);
    const usual = this.cellNats.map(inSteps);
    for (let word = 0; word < shape.length; word++) {
      const own = cellOf(0, seen.mainField[word] as number, shape[word] as number, 0) * STATES;
      for (let context = 0; context < 4; context++) {
        const cell = own + (context >> 1) * SIDE_CELLS * STATES + (context & 1) * STATES;
        const at = word * 4 + context;
        const foundSeen = (seen.found[at] as number) + (this.lesson?.found[at] ?? 0);
        const lostSeen = (seen.lost[at] as number) + (this.lesson?.lost[at] ?? 0);
        if (foundSeen === 0 && lostSeen === 0) {
          foundNats[at] = usual[cell + FOUND] as number;
          lostNats[at] = usual[cell + LOST] as number;
          continue;
        }
        const total = foundSeen + lostSeen + WORD_WEIGHS;
        foundNats[at] = inSteps(
          Math.log((foundSeen + WORD_WEIGHS * (shares[cell + FOUND] as number)) / total),
        );
        lostNats[at] = inSteps(
          Math.log((lostSeen + WORD_WEIGHS * (shares[cell + LOST] as number)) / total),
        );
      }
    }
  }
}

/** Only lags that the rule itself allows. */
function lessonOfDay(lesson: Lesson | null, window: Float64Array, level: number): number {
  return (window[level] as number) > 0 ? (lesson?.day[level] ?? 0) : 0;
}

/** In millionths of a nat, of which sums are exact: words add up to the same in any order. */
function inSteps(nats: number): number {
  return Math.round(nats * 2 ** 20) / 2 ** 20;
}

/**
 * How rarely unrelated words of letters, digits and both are close by chance: numbers that count up
 * often are.
 */
const CLOSE_RARITY = [8.5, 5.5, 7];

/**
 * What one rule has seen of days and words, for the next rules in a run: counted as this many
 * matches. Each rule has its own amounts.
 */
export type Lesson = {
  reach: Days;
  day: Float64Array;
  lags: Float64Array;
  cells: Float64Array;
  found: Float64Array;
  lost: Float64Array;
};

const LESSON_MATCHES = 60;

/** What was seen of matches, each counted by how probable it is. */
export class Observations {
  readonly amount = new Float64Array(AMOUNT_LEVELS);
  readonly day = new Float64Array(DAY_LEVELS);
  /** By kind of movement, then day level. */
  readonly lags = new Float64Array(KINDS * DAY_LEVELS);
  readonly cells = new Float64Array(CELLS * STATES);
  readonly found: Float64Array;
  readonly lost: Float64Array;
  readonly differences = new Differences();
  readonly rates = new Rates();
  /** The field that a word mostly stands in. */
  readonly mainField: Uint8Array;
  matches = 0;
  private readonly texts: Texts;

  constructor(texts: Texts) {
    this.texts = texts;
    this.found = new Float64Array(4 * texts.spelling.length);
    this.lost = new Float64Array(4 * texts.spelling.length);
    this.mainField = texts.mainField;
  }

  /** @param reach as far as days lie apart in sure matches. */
  lesson(reach: Days): Lesson {
    const share = Math.min(1, LESSON_MATCHES / Math.max(1, this.matches));
    const scaled = (counts: Float64Array) => counts.map((count) => count * share);
    return {
      reach,
      day: scaled(this.day),
      lags: scaled(this.lags),
      cells: scaled(this.cells),
      found: scaled(this.found),
      lost: scaled(this.lost),
    };
  }

  /** Forgets what was seen of matches: as large as the vocabulary, it is used again. */
  clear(): void {
    for (const counts of [this.amount, this.day, this.lags, this.cells, this.found, this.lost])
      counts.fill(0);
    this.differences.clear();
    this.matches = 0;
  }

  add(amountLevel: number, dayLevel: number, alignment: Alignment, probability: number): void {
    this.matches += probability;
    this.amount[amountLevel] = (this.amount[amountLevel] as number) + probability;
    this.day[dayLevel] = (this.day[dayLevel] as number) + probability / daysInLevel(dayLevel);
    for (let field = 0; field < FIELD_COUNT; field++) {
      const left =
        (alignment.leftStart[field + 1] as number) - (alignment.leftStart[field] as number);
      const right =
        (alignment.rightStart[field + 1] as number) - (alignment.rightStart[field] as number);
      const bothHave = left > 0 && right > 0 ? 1 : 0;
      for (
        let i = alignment.leftStart[field] as number;
        i < (alignment.leftStart[field + 1] as number);
        i++
      ) {
        this.addWord(
          0,
          field,
          alignment.leftWords[i] as number,
          bothHave,
          alignment.leftState[i] as number,
          probability,
        );
      }
      for (
        let j = alignment.rightStart[field] as number;
        j < (alignment.rightStart[field + 1] as number);
        j++
      ) {
        this.addWord(
          1,
          field,
          alignment.rightWords[j] as number,
          bothHave,
          alignment.rightState[j] as number,
          probability,
        );
      }
    }
  }

  addLag(kind: number, dayLevel: number, probability: number): void {
    const at = kind * DAY_LEVELS + dayLevel;
    this.lags[at] = (this.lags[at] as number) + probability / daysInLevel(dayLevel);
  }

  private addWord(
    side: number,
    field: number,
    word: number,
    bothHave: number,
    state: number,
    probability: number,
  ): void {
    if (state === WORD.unseen || state === WORD.cut) return;
    const outcome = state === WORD.alone ? LOST : state === WORD.close ? CLOSE : FOUND;
    const cell = cellOf(side, field, this.texts.shape[word] as number, bothHave) * STATES + outcome;
    this.cells[cell] = (this.cells[cell] as number) + probability;
    const at = word * 4 + side * 2 + bothHave;
    if (outcome === FOUND) this.found[at] = (this.found[at] as number) + probability;
    else if (outcome === LOST) this.lost[at] = (this.lost[at] as number) + probability;
  }
}

function cellOf(side: number, field: number, shape: number, bothHave: number): number {
  return ((side * FIELD_COUNT + field) * SHAPES + shape) * 2 + bothHave;
}

/**
 * A word of a field that both lines have is mostly found again; of one that only one has, now and
 * then.
 */
function wordPrior(): Float64Array {
  const counts = new Float64Array(CELLS * STATES);
  for (let cell = 0; cell < CELLS; cell++) {
    const shares = cell % 2 === 1 ? [0.72, 0.03, 0.25] : [0.25, 0.01, 0.74];
    shares.forEach((share, state) => {
      counts[cell * STATES + state] = share * PRIOR_WORDS;
    });
  }
  return counts;
}

/**
 * ln of the odds that two given lines are a match rather than both without one, when `matches` of
 * them are.
 */
function priorOdds(matches: number, leftLines: number, rightLines: number): number {
  const left = leftLines + 5;
  const right = rightLines + 5;
  const expected = Math.min(0.99 * Math.min(left, right), matches + 3);
  const leftOpen = Math.max(0.02, 1 - expected / left);
  const rightOpen = Math.max(0.02, 1 - expected / right);
  return Math.log(expected / (left * right) / (leftOpen * rightOpen));
}
