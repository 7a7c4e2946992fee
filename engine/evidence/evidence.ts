/**
 * Computes the weight of evidence that two lines are one payment, in nats: for each field, ln of
 * how much likelier the observation is for a match than for unrelated lines (Fellegi and Sunter, "A
 * theory for record linkage", 1969). Rare values count more (Winkler 2000). The model gives the
 * probability for matches, the pool the probability for unrelated lines.
 */

import type { Pool } from "../candidates/pool.ts";
import { FIELD_COUNT } from "../prepare/texts.ts";
import { Alignment, WORD } from "./alignment.ts";
import {
  AMOUNT_LEVELS,
  amountLevel,
  amountWidthNats,
  dayLevel,
  EQUAL,
  isSlip,
  slipNats,
} from "./levels.ts";
import type { Model } from "./model.ts";

export const EVIDENCE_FIELDS = [
  "amount",
  "value_date",
  "reference",
  "counterparty",
  "description",
  "group_key",
] as const;

/**
 * The rarest of several shared words counts in full, the others count with this factor, because
 * words that occur together are not independent evidence.
 */
const OTHER_WORDS_FACTOR = 0.35;
/** The maximum evidence of the words of a field, for and against a match. */
export const MAX_NATS = 16;

/** The evidence by a model. After each change of the model, `clearCache` must be called. */
export class Evidence {
  /** The evidence of the last pair in nats, in the order of EVIDENCE_FIELDS. */
  readonly nats = new Float64Array(EVIDENCE_FIELDS.length);
  readonly alignment: Alignment;
  readonly pool: Pool;
  private readonly model: Model;
  /** The words of the pair that were already counted in a field. */
  private readonly credited: number[] = [];
  /** The cached evidence of each amount level, and one plus the seeking node it is cached for. */
  private readonly levelNats = new Float64Array(AMOUNT_LEVELS);
  private readonly levelSeeker = new Int32Array(AMOUNT_LEVELS);

  constructor(pool: Pool, model: Model) {
    this.pool = pool;
    this.model = model;
    this.alignment = new Alignment(pool.texts);
  }

  clearCache(): void {
    this.levelSeeker.fill(0);
  }

  /**
   * The total evidence of all fields. Added to `model.prior`, it is ln of the odds that two lines
   * are a match, against both staying open.
   */
  weigh(l: number, r: number): number {
    const { nats, pool } = this;
    nats[0] = this.amount(l, r);
    nats[1] = this.day(l, r);
    this.alignment.align(pool.leftRow(l), pool.rightRow(r));
    this.credited.length = 0;
    let total = (nats[0] as number) + (nats[1] as number);
    for (let field = 0; field < FIELD_COUNT; field++) {
      nats[2 + field] = this.text(field, pool.leftRow(l));
      total += nats[2 + field] as number;
    }
    return total;
  }

  /**
   * Does the same for two lines that share no word, as most pairs do. They are aligned only if a
   * word may be cut or misspelled.
   */
  weighWithoutSharedWord(l: number, r: number): number {
    const { pool, model } = this;
    const { left, right } = pool.texts;
    const [leftRow, rightRow] = [pool.leftRow(l), pool.rightRow(r)];
    if (this.alignment.haveSimilarText(leftRow, rightRow)) return this.weigh(l, r);
    let total = this.amount(l, r) + this.day(l, r);
    for (let field = 0; field < FIELD_COUNT; field++) {
      const [a, aEnd] = [
        left.start[leftRow * FIELD_COUNT + field] as number,
        left.start[leftRow * FIELD_COUNT + field + 1] as number,
      ];
      const [b, bEnd] = [
        right.start[rightRow * FIELD_COUNT + field] as number,
        right.start[rightRow * FIELD_COUNT + field + 1] as number,
      ];
      const bothHave = a < aEnd && b < bEnd ? 1 : 0;
      let expected = 0;
      for (let i = a; i < aEnd; i++)
        expected += model.wordNats("left", field, left.words[i] as number, bothHave, WORD.alone);
      for (let j = b; j < bEnd; j++)
        expected += model.wordNats("right", field, right.words[j] as number, bothHave, WORD.alone);
      total += Math.max(-MAX_NATS, expected);
    }
    return total;
  }

  amount(l: number, r: number): number {
    const { left, right, seeking, soughtRarity } = this.pool;
    const [seeker, sought] = seeking === "left" ? [l, r] : [r, l];
    const [a, b] = [left.amount[l] as number, right.amount[r] as number];
    const level = amountLevel(a, b);
    if (level === EQUAL) return this.cachedLevelNats(level, seeker);
    const rarity = soughtRarity[sought] as number;
    // Slips and usual fees lead to few possible amounts, each of which is as rare among unrelated
    // lines as among all lines.
    const byLevel = isSlip(level)
      ? (this.model.amountNats[level] as number) + rarity - slipNats(level, a)
      : this.cachedLevelNats(level, seeker);
    const usual = this.model.usualDifference(a - b);
    return Math.max(
      byLevel,
      (usual?.nats ?? -Infinity) + rarity,
      this.model.rateNats(a, b) + rarity,
    );
  }

  private cachedLevelNats(level: number, seeker: number): number {
    if (this.levelSeeker[level] !== seeker + 1) {
      this.levelSeeker[level] = seeker + 1;
      this.levelNats[level] = this.levelNatsOf(level, seeker);
    }
    return this.levelNats[level] as number;
  }

  private levelNatsOf(level: number, seeker: number): number {
    const { seekers, rarity, density } = this.pool;
    const expected = this.model.amountNats[level] as number;
    if (level === EQUAL) return expected + (rarity[seeker] as number);
    return (
      expected +
      Math.max(
        0,
        (density[seeker] as number) - amountWidthNats(level, seekers.amount[seeker] as number),
      )
    );
  }

  day(l: number, r: number): number {
    const level = dayLevel((this.pool.right.day[r] as number) - (this.pool.left.day[l] as number));
    return (
      this.model.lagNats(this.pool.kindOf(l, r), level) + (this.pool.dayRarity[level] as number)
    );
  }

  private text(field: number, leftRow: number): number {
    const { alignment, model } = this;
    const { texts } = this.pool;
    const leftFrom = alignment.leftStart[field] as number;
    const leftTo = alignment.leftStart[field + 1] as number;
    const rightFrom = alignment.rightStart[field] as number;
    const rightTo = alignment.rightStart[field + 1] as number;
    const bothHave = leftFrom < leftTo && rightFrom < rightTo ? 1 : 0;
    let rarest = 0;
    let others = 0;
    let expected = 0;
    const same = alignment.prefix[field] as number;
    if (same > 0) {
      const newWords = this.countNewWords(leftFrom, same);
      if (newWords > 0) {
        rarest =
          (alignment.equal[field]
            ? texts.valueRarity(texts.left, leftRow, field)
            : texts.prefixRarity(texts.left, leftRow, field, same)) *
          (newWords / same);
      }
    }
    for (let i = leftFrom; i < leftTo; i++) {
      const word = alignment.leftWords[i] as number;
      const state = alignment.leftState[i] as number;
      expected += model.wordNats("left", field, word, bothHave, state);
      if (state === WORD.shared || state === WORD.elsewhere) {
        if (!this.credit(word)) continue;
        const rarity = texts.rarity[word] as number;
        others += Math.min(rarest, rarity);
        rarest = Math.max(rarest, rarity);
      } else if (state === WORD.cut)
        others +=
          Math.min(4, 1.2 * Math.min((texts.spelling[word] as string).length, 3)) /
          OTHER_WORDS_FACTOR;
    }
    for (let j = rightFrom; j < rightTo; j++) {
      const state = alignment.rightState[j] as number;
      // Words in this field on both sides were counted for the left side. A word found in another
      // field counts here if it has not been counted yet.
      if (state === WORD.alone)
        expected += model.wordNats(
          "right",
          field,
          alignment.rightWords[j] as number,
          bothHave,
          state,
        );
      else if (state === WORD.elsewhere && this.credit(alignment.rightWords[j] as number)) {
        const rarity = texts.rarity[alignment.rightWords[j] as number] as number;
        others += Math.min(rarest, rarity);
        rarest = Math.max(rarest, rarity);
      }
    }
    return Math.min(MAX_NATS, rarest + OTHER_WORDS_FACTOR * others) + Math.max(-MAX_NATS, expected);
  }

  /** How many of these words have not been counted in another field. They are now. */
  private countNewWords(from: number, count: number): number {
    let newWords = 0;
    for (let i = from; i < from + count; i++)
      if (this.credit(this.alignment.leftWords[i] as number)) newWords += 1;
    return newWords;
  }

  /** Marks a word as counted. Returns false if it already was. */
  private credit(word: number): boolean {
    if (this.credited.includes(word)) return false;
    this.credited.push(word);
    return true;
  }
}
