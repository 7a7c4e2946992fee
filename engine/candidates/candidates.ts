/** The few counterparts of a line that are worth weighing completely, out of all in its window. */

import { type Evidence, MAX_NATS } from "../evidence/evidence.ts";
import type { Model } from "../evidence/model.ts";
import { type AmountTolerance, isWithin, toleranceOf } from "../prepare/amounts.ts";
import type { Nodes } from "../prepare/nodes.ts";
import { FIELD_COUNT, type SideTexts } from "../prepare/texts.ts";
import type { WordIndex } from "../prepare/word-index.ts";
import type { Rule } from "../rules.ts";
import type { CloseWords } from "./close-words.ts";
import { Losses } from "./losses.ts";
import { bitOf, type Pool } from "./pool.ts";
import { type Days, daysAround, Window } from "./window.ts";

/**
 * How many nodes of a window are examined, those with the nearest amounts, in a pool of this size;
 * fewer in larger ones.
 */
const LOOKED_AT = 2000;
const LARGE_POOL = 25_000;
const MIN_LOOKED_AT = 100;
/**
 * With a tolerance beyond this, in basis points, amounts say so little that lines are found by
 * their words.
 */
const WIDE_BPS = 3000;
/** A word of more sought nodes than this is not used to find one. */
const RARE = 50;
const MAX_CANDIDATES = 24;
/**
 * A word one slip away from the seeker's is not used to find the nodes of more than this: numbers
 * often are.
 */
const RARELY_CLOSE = 5;
/**
 * What words that are cut or misspelt may add to what equal words say, and to what lost words say.
 */
const MISSPELT_NATS = 6;
const FOUND_AGAIN_NATS = 10;
/** What shared words are worth at most. */
const MAX_WORDS_NATS = 20;
const NOT_OWN = -1;

export class Candidates {
  count = 0;
  /** Twice the node, plus one if it has something in common with the seeker's texts. */
  private readonly found = new Int32Array(MAX_CANDIDATES);
  private readonly merit = new Float64Array(MAX_CANDIDATES);
  private days: Days;
  private readonly tolerance: AmountTolerance;
  private readonly window: Window;
  private readonly pool: Pool;
  private readonly fromLeft: boolean;
  private readonly seekers: Nodes;
  private readonly seekersTexts: SideTexts;
  private readonly seekersRows: Int32Array;
  private readonly soughtTexts: SideTexts;
  private readonly soughtRows: Int32Array;
  private readonly evidence: Evidence;
  private readonly losses: Losses;
  private readonly close: CloseWords;
  /** By word: its rarity where the seeker has it. */
  private readonly own: Float64Array;
  private readonly byWord: WordIndex;
  private readonly commonWords: Int32Array;
  private readonly words: number[] = [];
  /** Bits of these. */
  private ownWords = 0;
  /**
   * By sought node: the last seeker, and one, that shares a rare word with it, or has one that is
   * close.
   */
  private readonly sharesRareWord: Int32Array;
  private readonly hasCloseWord: Int32Array;
  /** Sought nodes of the rare words that are close to the seeker's. */
  private readonly withCloseWord: number[] = [];
  /** By word: the last pair, by its number, that shares it. */
  private readonly sharedBy: Int32Array;
  private pairs = 0;
  /** By field: what shared words are not lost. */
  private readonly spared = new Float64Array(FIELD_COUNT);
  private threshold = 0;

  constructor(pool: Pool, evidence: Evidence, model: Model, rule: Rule) {
    this.pool = pool;
    this.evidence = evidence;
    this.days = daysAround(rule);
    this.tolerance = toleranceOf(rule);
    this.fromLeft = pool.seeking === "left";
    this.seekers = pool.seekers;
    this.seekersTexts = pool.seekersTexts;
    this.seekersRows = pool.seekersRows;
    this.soughtTexts = pool.soughtTexts;
    this.soughtRows = pool.soughtRows;
    this.window = new Window(pool.sought, rule, lookedAt(this.tolerance, pool.sought.count));
    this.lookWithin(this.days);
    this.losses = new Losses(pool, model);
    this.close = pool.closeWords();
    this.own = new Float64Array(pool.texts.spelling.length).fill(NOT_OWN);
    this.sharedBy = new Int32Array(pool.texts.spelling.length);
    this.byWord = pool.wordIndex(RARE);
    this.commonWords = pool.commonWords(this.byWord);
    this.sharesRareWord = new Int32Array(pool.sought.count);
    this.hasCloseWord = new Int32Array(pool.sought.count);
  }

  /** From now on counterparts are searched in these days, whatever the rule's are. */
  lookWithin(days: Days): void {
    this.days = days;
    this.window.days = this.fromLeft ? days : { before: days.after, after: days.before };
  }

  /** A node that the last search found, in ascending order. */
  node(at: number): number {
    return (this.found[at] as number) >> 1;
  }

  /** Otherwise its texts count only by what they lack. */
  hasInCommon(at: number): boolean {
    return ((this.found[at] as number) & 1) === 1;
  }

  /** Before the first search by a model as it is now. */
  begin(): void {
    this.losses.ask();
    this.sharesRareWord.fill(0);
    this.hasCloseWord.fill(0);
  }

  /**
   * Finds the best by amount, day and words; by rising node.
   * @param threshold the evidence that a candidate must be able to reach, in nats.
   */
  find(seeker: number, threshold: number): void {
    const { window } = this;
    window.search(this.seekers, seeker);
    this.count = 0;
    this.threshold = threshold;
    if (window.count === 0 && !window.crowded) return;
    this.markWords(seeker);
    for (let at = 0; at < window.count; at++) this.consider(seeker, window.found[at] as number);
    if (window.crowded) this.findByWords(seeker);
    this.unmarkWords();
    this.found.subarray(0, this.count).sort();
  }

  /**
   * A node that shares a rare word, or has a misspelt one, is a candidate too, however many amounts
   * are nearer.
   */
  private findByWords(seeker: number): void {
    for (const word of this.words)
      for (const node of this.byWord.of(word)) this.considerFar(seeker, node);
    for (const node of this.withCloseWord) this.considerFar(seeker, node);
  }

  private considerFar(seeker: number, node: number): void {
    const { left, right } = this.pool;
    const { before, after } = this.days;
    const [l, r] = this.fromLeft ? [seeker, node] : [node, seeker];
    const lag = (right.day[r] as number) - (left.day[l] as number);
    if (lag < -before || lag > after || !left.key.equal(l, right.key, r)) return;
    if (
      !isWithin(this.tolerance, left.amount[l] as number, right.amount[r] as number) ||
      this.has(node)
    )
      return;
    this.consider(seeker, node);
  }

  private consider(seeker: number, node: number): void {
    const { evidence, losses } = this;
    const [l, r] = this.fromLeft ? [seeker, node] : [node, seeker];
    const common = this.commonWords[node] as number;
    const merit = evidence.amount(l, r) + evidence.day(l, r);
    if (
      (this.sharesRareWord[node] === seeker + 1 || common & this.ownWords) &&
      this.keepSharing(seeker, node, merit)
    )
      return;
    const both = losses.shared(node);
    let total = merit;
    for (let field = 0; field < FIELD_COUNT; field++)
      total += Math.max(-MAX_NATS, losses.of(node, field, (both >> field) & 1));
    if (total >= this.threshold) this.keep(2 * node, total);
    else if (merit + MISSPELT_NATS >= this.threshold && this.isMisspelt(seeker, node, both, total))
      this.keep(2 * node + 1, merit);
  }

  private has(node: number): boolean {
    for (let at = 0; at < this.count; at++) if (this.node(at) === node) return true;
    return false;
  }

  /**
   * By what the words that it shares are worth at most, and those that either lacks cost at least,
   * unless one is misspelt or cut.
   * @returns whether it shares any.
   */
  private keepSharing(seeker: number, node: number, merit: number): boolean {
    const { losses, spared, seekersTexts, soughtTexts } = this;
    const both = losses.shared(node);
    const pair = ++this.pairs;
    const cell = (this.soughtRows[node] as number) * FIELD_COUNT;
    let worth = 0;
    let shares = false;
    for (let field = 0; field < FIELD_COUNT; field++) {
      let lost = 0;
      for (
        let at = soughtTexts.start[cell + field] as number;
        at < (soughtTexts.start[cell + field + 1] as number);
        at++
      ) {
        const word = soughtTexts.words[at] as number;
        const own = this.own[word] as number;
        if (own === NOT_OWN) continue;
        if (this.sharedBy[word] !== pair) worth += own;
        this.sharedBy[word] = pair;
        lost += losses.ofOtherWord(word, (both >> field) & 1);
        shares = true;
      }
      spared[field] = lost;
    }
    if (!shares) return false;
    const possible = merit + Math.min(MAX_WORDS_NATS, worth);
    if (possible < this.threshold - MISSPELT_NATS) return true;
    const ownCell = (this.seekersRows[seeker] as number) * FIELD_COUNT;
    let total = possible;
    for (let field = 0; field < FIELD_COUNT; field++) {
      const bothHave = (both >> field) & 1;
      let lost = losses.of(node, field, bothHave) - (spared[field] as number);
      for (
        let at = seekersTexts.start[ownCell + field] as number;
        at < (seekersTexts.start[ownCell + field + 1] as number);
        at++
      ) {
        const word = seekersTexts.words[at] as number;
        if (this.sharedBy[word] === pair) lost -= losses.ofOwnWord(word, bothHave);
      }
      total += Math.max(-MAX_NATS, lost);
    }
    if (total >= this.threshold) this.keep(2 * node + 1, total);
    else if (this.isMisspelt(seeker, node, both, total))
      this.keep(2 * node + 1, total + MISSPELT_NATS);
    return true;
  }

  /**
   * Whether one of the lost words is misspelt or cut. @param total the evidence of the lines if
   * none is.
   */
  private isMisspelt(seeker: number, node: number, both: number, total: number): boolean {
    if (this.hasCloseWord[node] === seeker + 1) return true;
    const { alignment } = this.evidence;
    const own = this.seekersRows[seeker] as number;
    const other = this.soughtRows[node] as number;
    const [leftRow, rightRow] = this.fromLeft ? [own, other] : [other, own];
    if (both !== 0 && alignment.isCutOrRewritten(leftRow, rightRow)) return true;
    return total + FOUND_AGAIN_NATS >= this.threshold && alignment.hasCloseWords(leftRow, rightRow);
  }

  private keep(found: number, merit: number): void {
    let at = this.count;
    if (at === MAX_CANDIDATES) {
      if (merit <= (this.merit[at - 1] as number)) return;
      at -= 1;
    } else this.count += 1;
    while (at > 0 && (this.merit[at - 1] as number) < merit) {
      this.merit[at] = this.merit[at - 1] as number;
      this.found[at] = this.found[at - 1] as number;
      at -= 1;
    }
    this.merit[at] = merit;
    this.found[at] = found;
  }

  private markWords(seeker: number): void {
    const { rarity } = this.pool.texts;
    const { start, words } = this.seekersTexts;
    const cell = (this.seekersRows[seeker] as number) * FIELD_COUNT;
    this.losses.look(seeker);
    this.ownWords = 0;
    for (let at = start[cell] as number; at < (start[cell + FIELD_COUNT] as number); at++) {
      const word = words[at] as number;
      if (this.own[word] !== NOT_OWN) continue;
      this.own[word] = rarity[word] as number;
      this.words.push(word);
      this.ownWords |= bitOf(word);
      for (
        let to = this.byWord.start[word] as number;
        to < (this.byWord.start[word + 1] as number);
        to++
      )
        this.sharesRareWord[this.byWord.item[to] as number] = seeker + 1;
      this.markClose(seeker, word);
    }
  }

  private markClose(seeker: number, word: number): void {
    const { start, item } = this.byWord;
    const { from, to } = this.close.of(word);
    for (let at = from; at < to; at++) {
      const other = this.close.near[at] as number;
      if ((start[other + 1] as number) - (start[other] as number) > RARELY_CLOSE) continue;
      for (let entry = start[other] as number; entry < (start[other + 1] as number); entry++) {
        const node = item[entry] as number;
        if (this.hasCloseWord[node] === seeker + 1) continue;
        this.hasCloseWord[node] = seeker + 1;
        this.withCloseWord.push(node);
      }
    }
  }

  private unmarkWords(): void {
    for (const word of this.words) this.own[word] = NOT_OWN;
    this.words.length = 0;
    this.withCloseWord.length = 0;
  }
}

function lookedAt({ bps }: AmountTolerance, sought: number): number {
  if (bps > WIDE_BPS) return MIN_LOOKED_AT;
  return Math.max(
    MIN_LOOKED_AT,
    Math.min(LOOKED_AT, Math.floor(LOOKED_AT * (LARGE_POOL / Math.max(1, sought)) ** 2)),
  );
}
