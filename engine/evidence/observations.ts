/** What a rule observed of matches, from which its model is fitted and the next rules learn. */
import type { Days } from "../candidates/window.ts";
import { FIELD_COUNT, type Texts } from "../prepare/texts.ts";
import { type Alignment, WORD } from "./alignment.ts";
import { Differences } from "./differences.ts";
import { KINDS } from "./kinds.ts";
import { CELLS, CLOSE, cellOf, FOUND, LOST, STATES } from "./knowledge.ts";
import { AMOUNT_LEVELS, DAY_LEVELS, daysInLevel } from "./levels.ts";
import { Rates } from "./rates.ts";

/**
 * What a rule observed of days and words, for the next rules in a run, scaled down to
 * LESSON_MATCHES matches. Amounts are not passed on, because they differ between rules.
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

/** Counts of observed matches, weighted by probability. */
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
  matches = 0;
  private readonly texts: Texts;

  constructor(texts: Texts) {
    this.texts = texts;
    this.found = new Float64Array(4 * texts.spelling.length);
    this.lost = new Float64Array(4 * texts.spelling.length);
  }

  /** @param reach how many days lie between the lines of sure matches. */
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

  /** Resets the counts. The arrays are reused, because they are as large as the vocabulary. */
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
