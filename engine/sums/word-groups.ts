/**
 * Groups of lines that share a word, by their totals: all such lines, or those of one day or of two
 * consecutive days that have such lines. A payout without a name is the sum of the charges of one
 * batch number; wages are the payments to one payroll service on one day.
 */
import type { Lines } from "../lines.ts";
import { lowerBound } from "../prepare/lower-bound.ts";
import type { WordIndex } from "../prepare/word-index.ts";

const MAX_LINES = 50;

/** `from` and `to` are positions in the word index. */
type Group = { total: number; word: number; from: number; to: number };

export class WordGroups {
  private readonly lines: Lines;
  private readonly index: WordIndex;
  private readonly dayOf: (line: number) => number;
  private groups: SortedGroups | null = null;

  /** @param index lists the lines of each word by ascending day. */
  constructor(lines: Lines, index: WordIndex, dayOf: (line: number) => number) {
    this.lines = lines;
    this.index = index;
    this.dayOf = dayOf;
  }

  /** The number of groups that begin on these days. */
  countBetween(first: number, last: number): number {
    const { days } = this.all();
    return lowerBound(days, last + 1) - lowerBound(days, first);
  }

  /** Yields the groups with a total from `low` to `high`, by ascending total. */
  *between(low: number, high: number): Generator<{ word: number; lines: number[] }> {
    const { total, word, from, to } = this.all();
    for (let at = lowerBound(total, low); (total[at] as number) <= high; at++)
      yield { word: word[at] as number, lines: this.linesAt(from[at], to[at]) };
  }

  /** The same for the groups of some words, without adding up the groups of all others. */
  ofWords(words: readonly number[], low: number, high: number): number[][] {
    const found: Group[] = [];
    for (const word of new Set(words))
      this.eachOf(word, (total, from, to) => {
        if (total >= low && total <= high) found.push({ total, word, from, to });
      });
    return found.sort(byTotal).map(({ from, to }) => this.linesAt(from, to));
  }

  private linesAt(from?: number, to?: number): number[] {
    return Array.from(this.index.item.subarray(from, to));
  }

  private all(): SortedGroups {
    if (this.groups) return this.groups;
    const groups: Group[] = [];
    const days: number[] = [];
    for (let word = 0; word + 1 < this.index.start.length; word++)
      this.eachOf(word, (total, from, to) => {
        groups.push({ total, word, from, to });
        days.push(this.dayOf(this.index.item[from] as number));
      });
    groups.sort(byTotal);
    this.groups = {
      total: Float64Array.from(groups, ({ total }) => total),
      word: Int32Array.from(groups, ({ word }) => word),
      from: Int32Array.from(groups, ({ from }) => from),
      to: Int32Array.from(groups, ({ to }) => to),
      days: Int32Array.from(days).sort(),
    };
    return this.groups;
  }

  /** Visits the groups of a word: all of its lines, each day, and each two consecutive days. */
  private eachOf(word: number, visit: (total: number, from: number, to: number) => void): void {
    const { start, item } = this.index;
    const [from, to] = [start[word] as number, start[word + 1] as number];
    if (to - from < 2) return;
    const add = (first: number, end: number) => {
      const total = this.totalOf(first, end);
      if (Number.isSafeInteger(total)) visit(total, first, end);
    };
    add(from, to);
    const dayAt = (at: number) => this.dayOf(item[at] as number);
    if (dayAt(from) === dayAt(to - 1)) return;
    let [before, first] = [-1, from];
    for (let at = from + 1; at <= to; at++) {
      if (at < to && dayAt(at) === dayAt(first)) continue;
      add(first, at);
      if (before >= 0 && (before > from || at < to)) add(before, at);
      [before, first] = [first, at];
    }
  }

  /** NaN if the lines are too few, too many, or of several currencies. */
  private totalOf(from: number, to: number): number {
    if (to - from < 2 || to - from > MAX_LINES) return NaN;
    const { amount, currency } = this.lines;
    const { item } = this.index;
    const first = currency[item[from] as number];
    let total = 0;
    for (let at = from; at < to; at++) {
      const line = item[at] as number;
      if (currency[line] !== first) return NaN;
      total += amount[line] as number;
    }
    return total;
  }
}

/** The groups by ascending total, and their first days in ascending order. */
type SortedGroups = {
  total: Float64Array;
  word: Int32Array;
  from: Int32Array;
  to: Int32Array;
  days: Int32Array;
};

function byTotal(a: Group, b: Group): number {
  return a.total - b.total || a.word - b.word || a.from - b.from || a.to - b.to;
}
