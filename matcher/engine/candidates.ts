/** The few counterparts of a line that are worth weighing in full, out of all that its window holds. */
import { isWithin, toleranceOf } from "./amounts.ts";
import type { Evidence } from "./evidence.ts";
import type { Pool, WordIndex } from "./pool.ts";
import type { Rule } from "./rules.ts";
import { FIELD_COUNT } from "./texts.ts";
import { daysAround, Window } from "./window.ts";

/** Nodes of a window that are looked at, the nearest amounts: so many in a pool of this size, fewer in larger ones. */
const LOOKED_AT = 2000;
const LARGE_POOL = 25_000;
const LOOKED_AT_LEAST = 100;
/** With a tolerance beyond this, in basis points, amounts say so little that lines are found by their words. */
const WIDE_BPS = 3000;
/** A word of more right nodes than this is no way to find one. */
const RARE = 50;
const MOST_CANDIDATES = 24;
/** What words that are cut or misspelt may add to what equal words say. */
const MISSPELT_NATS = 6;

export class Candidates {
  readonly node = new Int32Array(MOST_CANDIDATES);
  count = 0;
  private readonly merit = new Float64Array(MOST_CANDIDATES);
  private readonly rule: Rule;
  private readonly window: Window;
  private readonly pool: Pool;
  private readonly evidence: Evidence;
  private readonly own: Float64Array;
  private readonly byWord: WordIndex;
  private words: number[] = [];
  private least = 0;

  constructor(pool: Pool, evidence: Evidence, rule: Rule) {
    this.pool = pool;
    this.evidence = evidence;
    this.rule = rule;
    this.window = new Window(pool.right, rule, lookedAt(rule, pool.left.count));
    this.own = new Float64Array(pool.texts.spelling.length);
    this.byWord = pool.wordIndex(RARE);
  }

  /**
   * Finds the best by amount, day and shared words; by rising node.
   * @param least what evidence a candidate must be able to come to, in nats.
   */
  find(l: number, least: number): void {
    const { pool, window, evidence } = this;
    window.search(pool.left, l);
    this.count = 0;
    this.least = least - MISSPELT_NATS;
    const row = pool.leftRow(l);
    this.markWords(row);
    const signature = pool.texts.left.signature[row] as number;
    for (let at = 0; at < window.count; at++) {
      const r = window.found[at] as number;
      let merit = evidence.amount(l, r) + evidence.day(l, r);
      const rightRow = pool.rightRow(r);
      if (signature & (pool.texts.right.signature[rightRow] as number)) merit += this.sharedWords(rightRow);
      this.keep(r, merit);
    }
    if (window.crowded) this.findByWords(l);
    this.unmarkWords();
    this.node.subarray(0, this.count).sort();
  }

  /** Who shares a rare word is a candidate too, however many amounts are nearer. */
  private findByWords(l: number): void {
    const { pool, evidence } = this;
    const { before, after } = daysAround(this.rule);
    const tolerance = toleranceOf(this.rule);
    for (const word of this.words) {
      for (let at = this.byWord.start[word] as number; at < (this.byWord.start[word + 1] as number); at++) {
        const r = this.byWord.node[at] as number;
        const lag = (pool.right.day[r] as number) - (pool.left.day[l] as number);
        if (lag < -before || lag > after || !pool.left.key.equal(l, pool.right.key, r)) continue;
        if (!isWithin(tolerance, pool.left.amount[l] as number, pool.right.amount[r] as number) || this.has(r)) continue;
        this.keep(r, evidence.amount(l, r) + evidence.day(l, r) + this.sharedWords(pool.rightRow(r)));
      }
    }
  }

  private has(r: number): boolean {
    for (let at = 0; at < this.count; at++) if (this.node[at] === r) return true;
    return false;
  }

  private keep(r: number, merit: number): void {
    if (merit < this.least) return;
    let at = this.count;
    if (at === MOST_CANDIDATES) {
      if (merit <= (this.merit[at - 1] as number)) return;
      at -= 1;
    } else this.count += 1;
    while (at > 0 && (this.merit[at - 1] as number) < merit) {
      this.merit[at] = this.merit[at - 1] as number;
      this.node[at] = this.node[at - 1] as number;
      at -= 1;
    }
    this.merit[at] = merit;
    this.node[at] = r;
  }

  private markWords(row: number): void {
    const { left, rarity } = this.pool.texts;
    for (let at = left.start[row * FIELD_COUNT] as number; at < (left.start[(row + 1) * FIELD_COUNT] as number); at++) {
      const word = left.words[at] as number;
      this.own[word] = rarity[word] as number;
      this.words.push(word);
    }
  }

  private unmarkWords(): void {
    for (const word of this.words) this.own[word] = 0;
    this.words = [];
  }

  private sharedWords(row: number): number {
    const { right } = this.pool.texts;
    let shared = 0;
    for (let at = right.start[row * FIELD_COUNT] as number; at < (right.start[(row + 1) * FIELD_COUNT] as number); at++) {
      shared += this.own[right.words[at] as number] as number;
    }
    return Math.min(20, shared);
  }
}

function lookedAt(rule: Rule, lines: number): number {
  if (toleranceOf(rule).bps > WIDE_BPS) return LOOKED_AT_LEAST;
  return Math.max(LOOKED_AT_LEAST, Math.min(LOOKED_AT, Math.floor(LOOKED_AT * (LARGE_POOL / Math.max(1, lines)) ** 2)));
}
