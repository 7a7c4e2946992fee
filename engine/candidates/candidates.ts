/** Selects the few counterparts in a line's window whose evidence is weighed in full. */

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
 * The maximum number of nodes of a window that are examined, nearest amounts first. In a pool of
 * more than `LARGE_POOL` nodes fewer are examined.
 */
const MAX_EXAMINED = 2000;
const LARGE_POOL = 25_000;
const MIN_EXAMINED = 100;
/**
 * With a tolerance above this, in basis points, amounts say so little that lines are found mainly
 * by their words.
 */
const WIDE_BPS = 3000;
/** A word that more sought nodes than this have is not used to find nodes. */
const MAX_NODES_PER_WORD = 50;
const MAX_CANDIDATES = 24;
/**
 * A word one slip away from one of the seeker's words is not used to find nodes if more nodes than
 * this have it, because numbers are often one slip apart.
 */
const MAX_NODES_PER_CLOSE_WORD = 5;
/**
 * The maximum evidence that cut or misspelled words can add, in nats: to the evidence of equal
 * words, and to the evidence of words that were counted as lost.
 */
const MAX_MISSPELLED_NATS = 6;
const MAX_RECOVERED_NATS = 10;
/** The maximum evidence of shared words, in nats. */
const MAX_WORDS_NATS = 20;
const NOT_IN_SEEKER = -1;

export class Candidates {
  count = 0;
  /** Twice the node, plus one if its texts have something in common with the seeker's. */
  private readonly found = new Int32Array(MAX_CANDIDATES);
  private readonly score = new Float64Array(MAX_CANDIDATES);
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
  private readonly closeWords: CloseWords;
  /** By word: its rarity if the seeker has it, otherwise NOT_IN_SEEKER. */
  private readonly seekerRarity: Float64Array;
  private readonly byWord: WordIndex;
  private readonly commonWords: Int32Array;
  private readonly seekerWords: number[] = [];
  /** The bits of the seeker's words. */
  private seekerWordBits = 0;
  /**
   * By sought node: one plus the last seeker that shares a rare word with it, and one plus the last
   * seeker that has a word close to one of its words.
   */
  private readonly sharesRareWord: Int32Array;
  private readonly hasCloseWord: Int32Array;
  /** Sought nodes with rare words that are close to the seeker's words. */
  private readonly nodesWithCloseWord: number[] = [];
  /** By word: the number of the last pair that shares it. */
  private readonly lastPairSharing: Int32Array;
  private pairCount = 0;
  /** By field: the losses of shared words, which don't count because the words aren't lost. */
  private readonly sharedLosses = new Float64Array(FIELD_COUNT);
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
    this.window = new Window(pool.sought, rule, maxExamined(this.tolerance, pool.sought.count));
    this.setWindow(this.days);
    this.losses = new Losses(pool, model);
    this.closeWords = pool.closeWords();
    this.seekerRarity = new Float64Array(pool.texts.spelling.length).fill(NOT_IN_SEEKER);
    this.lastPairSharing = new Int32Array(pool.texts.spelling.length);
    this.byWord = pool.wordIndex(MAX_NODES_PER_WORD);
    this.commonWords = pool.commonWords(this.byWord);
    this.sharesRareWord = new Int32Array(pool.sought.count);
    this.hasCloseWord = new Int32Array(pool.sought.count);
  }

  /** Sets the days in which counterparts are searched, instead of the rule's. */
  setWindow(days: Days): void {
    this.days = days;
    this.window.days = this.fromLeft ? days : { before: days.after, after: days.before };
  }

  /** The node at a position of the last search's result, in ascending order. */
  node(at: number): number {
    return (this.found[at] as number) >> 1;
  }

  /** Whether the node has text in common with the seeker. If not, its words only count as lost. */
  hasInCommon(at: number): boolean {
    return ((this.found[at] as number) & 1) === 1;
  }

  /** Must be called before the first search after a change of the model. */
  begin(): void {
    this.losses.addUpSought();
    this.sharesRareWord.fill(0);
    this.hasCloseWord.fill(0);
  }

  /**
   * Finds the best counterparts by amount, day and words, in ascending order of nodes.
   * @param threshold the evidence in nats that a candidate must be able to reach.
   */
  find(seeker: number, threshold: number): void {
    const { window } = this;
    window.search(this.seekers, seeker);
    this.count = 0;
    this.threshold = threshold;
    if (window.count === 0 && !window.isTruncated) return;
    this.markWords(seeker);
    for (let at = 0; at < window.count; at++) this.consider(seeker, window.found[at] as number);
    if (window.isTruncated) this.findByWords(seeker);
    this.unmarkWords();
    this.found.subarray(0, this.count).sort();
  }

  /**
   * Considers nodes that share a rare word with the seeker, or have a misspelled one, even if too
   * many other amounts are nearer.
   */
  private findByWords(seeker: number): void {
    for (const word of this.seekerWords)
      for (const node of this.byWord.of(word)) this.considerUnexamined(seeker, node);
    for (const node of this.nodesWithCloseWord) this.considerUnexamined(seeker, node);
  }

  private considerUnexamined(seeker: number, node: number): void {
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
    const amountAndDay = evidence.amount(l, r) + evidence.day(l, r);
    if (
      (this.sharesRareWord[node] === seeker + 1 || common & this.seekerWordBits) &&
      this.considerSharing(seeker, node, amountAndDay)
    )
      return;
    const bothHave = losses.sharedFields(node);
    let total = amountAndDay;
    for (let field = 0; field < FIELD_COUNT; field++)
      total += Math.max(-MAX_NATS, losses.lossOf(node, field, (bothHave >> field) & 1));
    if (total >= this.threshold) this.insert(2 * node, total);
    else if (
      amountAndDay + MAX_MISSPELLED_NATS >= this.threshold &&
      this.hasMisspelledWord(seeker, node, bothHave, total)
    )
      this.insert(2 * node + 1, amountAndDay);
  }

  private has(node: number): boolean {
    for (let at = 0; at < this.count; at++) if (this.node(at) === node) return true;
    return false;
  }

  /**
   * Considers a node that may share words with the seeker. It is a candidate if the threshold can
   * be reached by the maximum evidence of the shared words and the minimum loss of the other words,
   * or if one of those may be misspelled or cut.
   * @returns whether the node shares any word.
   */
  private considerSharing(seeker: number, node: number, amountAndDay: number): boolean {
    const { losses, sharedLosses, seekersTexts, soughtTexts } = this;
    const sharedFields = losses.sharedFields(node);
    const pair = ++this.pairCount;
    const cell = (this.soughtRows[node] as number) * FIELD_COUNT;
    let wordNats = 0;
    let sharesWord = false;
    for (let field = 0; field < FIELD_COUNT; field++) {
      let lost = 0;
      for (
        let at = soughtTexts.start[cell + field] as number;
        at < (soughtTexts.start[cell + field + 1] as number);
        at++
      ) {
        const word = soughtTexts.words[at] as number;
        const rarity = this.seekerRarity[word] as number;
        if (rarity === NOT_IN_SEEKER) continue;
        if (this.lastPairSharing[word] !== pair) wordNats += rarity;
        this.lastPairSharing[word] = pair;
        lost += losses.lossOfSoughtWord(word, (sharedFields >> field) & 1);
        sharesWord = true;
      }
      sharedLosses[field] = lost;
    }
    if (!sharesWord) return false;
    const possible = amountAndDay + Math.min(MAX_WORDS_NATS, wordNats);
    if (possible < this.threshold - MAX_MISSPELLED_NATS) return true;
    const seekerCell = (this.seekersRows[seeker] as number) * FIELD_COUNT;
    let total = possible;
    for (let field = 0; field < FIELD_COUNT; field++) {
      const bothHave = (sharedFields >> field) & 1;
      let lost = losses.lossOf(node, field, bothHave) - (sharedLosses[field] as number);
      for (
        let at = seekersTexts.start[seekerCell + field] as number;
        at < (seekersTexts.start[seekerCell + field + 1] as number);
        at++
      ) {
        const word = seekersTexts.words[at] as number;
        if (this.lastPairSharing[word] === pair) lost -= losses.lossOfSeekerWord(word, bothHave);
      }
      total += Math.max(-MAX_NATS, lost);
    }
    if (total >= this.threshold) this.insert(2 * node + 1, total);
    else if (this.hasMisspelledWord(seeker, node, sharedFields, total))
      this.insert(2 * node + 1, total + MAX_MISSPELLED_NATS);
    return true;
  }

  /**
   * Whether one of the lost words may be misspelled or cut.
   * @param total the evidence of the pair if no word is.
   */
  private hasMisspelledWord(
    seeker: number,
    node: number,
    sharedFields: number,
    total: number,
  ): boolean {
    if (this.hasCloseWord[node] === seeker + 1) return true;
    const { alignment } = this.evidence;
    const seekerRow = this.seekersRows[seeker] as number;
    const soughtRow = this.soughtRows[node] as number;
    const [leftRow, rightRow] = this.fromLeft ? [seekerRow, soughtRow] : [soughtRow, seekerRow];
    if (sharedFields !== 0 && alignment.isCutOrRewritten(leftRow, rightRow)) return true;
    return (
      total + MAX_RECOVERED_NATS >= this.threshold && alignment.hasCloseWords(leftRow, rightRow)
    );
  }

  /** Inserts an entry in descending order of scores, and drops the last one beyond the maximum. */
  private insert(entry: number, score: number): void {
    let at = this.count;
    if (at === MAX_CANDIDATES) {
      if (score <= (this.score[at - 1] as number)) return;
      at -= 1;
    } else this.count += 1;
    while (at > 0 && (this.score[at - 1] as number) < score) {
      this.score[at] = this.score[at - 1] as number;
      this.found[at] = this.found[at - 1] as number;
      at -= 1;
    }
    this.score[at] = score;
    this.found[at] = entry;
  }

  private markWords(seeker: number): void {
    const { rarity } = this.pool.texts;
    const { start, words } = this.seekersTexts;
    const cell = (this.seekersRows[seeker] as number) * FIELD_COUNT;
    this.losses.setSeeker(seeker);
    this.seekerWordBits = 0;
    for (let at = start[cell] as number; at < (start[cell + FIELD_COUNT] as number); at++) {
      const word = words[at] as number;
      if (this.seekerRarity[word] !== NOT_IN_SEEKER) continue;
      this.seekerRarity[word] = rarity[word] as number;
      this.seekerWords.push(word);
      this.seekerWordBits |= bitOf(word);
      for (
        let entry = this.byWord.start[word] as number;
        entry < (this.byWord.start[word + 1] as number);
        entry++
      )
        this.sharesRareWord[this.byWord.item[entry] as number] = seeker + 1;
      this.markCloseWords(seeker, word);
    }
  }

  private markCloseWords(seeker: number, word: number): void {
    const { start, item } = this.byWord;
    const { from, to } = this.closeWords.of(word);
    for (let at = from; at < to; at++) {
      const other = this.closeWords.near[at] as number;
      if ((start[other + 1] as number) - (start[other] as number) > MAX_NODES_PER_CLOSE_WORD)
        continue;
      for (let entry = start[other] as number; entry < (start[other + 1] as number); entry++) {
        const node = item[entry] as number;
        if (this.hasCloseWord[node] === seeker + 1) continue;
        this.hasCloseWord[node] = seeker + 1;
        this.nodesWithCloseWord.push(node);
      }
    }
  }

  private unmarkWords(): void {
    for (const word of this.seekerWords) this.seekerRarity[word] = NOT_IN_SEEKER;
    this.seekerWords.length = 0;
    this.nodesWithCloseWord.length = 0;
  }
}

function maxExamined({ bps }: AmountTolerance, sought: number): number {
  if (bps > WIDE_BPS) return MIN_EXAMINED;
  return Math.max(
    MIN_EXAMINED,
    Math.min(MAX_EXAMINED, Math.floor(MAX_EXAMINED * (LARGE_POOL / Math.max(1, sought)) ** 2)),
  );
}
