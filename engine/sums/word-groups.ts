/**
 * Lines that share a word, all of them or those of a day or of two days in a row, by their total: a
 * payout that names nothing is the sum of the charges of one batch number, wages are what goes to
 * one payroll service on one day.
 */
import type { Lines } from "../lines.ts";
import { lowerBound } from "../prepare/lower-bound.ts";
import type { WordIndex } from "../prepare/word-index.ts";

const MAX_LINES = 50;

export class WordGroups {
  /** Groups by rising total: the word, and which of its lines. */
  private readonly total: Float64Array;
  private readonly word: Int32Array;
  private readonly from: Int32Array;
  private readonly to: Int32Array;
  /** The first days of all groups, rising. */
  private readonly days: Int32Array;
  private readonly index: WordIndex;

  /** @param index has lines by rising day. */
  constructor(lines: Lines, index: WordIndex, dayOf: (line: number) => number) {
    this.index = index;
    const [totals, words, starts, ends, days] = [[], [], [], [], []] as [
      number[],
      number[],
      number[],
      number[],
      number[],
    ];
    const { item } = index;
    /** @param from and to places in `item`. */
    const add = (word: number, from: number, to: number) => {
      if (to - from < 2 || to - from > MAX_LINES) return;
      const first = item[from] as number;
      let total = 0;
      for (let at = from; at < to; at++) {
        const line = item[at] as number;
        if (lines.currency[line] !== lines.currency[first]) return;
        total += lines.amount[line] as number;
      }
      if (!Number.isSafeInteger(total)) return;
      totals.push(total);
      words.push(word);
      starts.push(from);
      ends.push(to);
      days.push(dayOf(first));
    };
    for (let word = 0; word + 1 < index.start.length; word++) {
      const [from, to] = [index.start[word] as number, index.start[word + 1] as number];
      if (to - from < 2) continue;
      add(word, from, to);
      const isOneDay = dayOf(item[from] as number) === dayOf(item[to - 1] as number);
      if (!isOneDay) addDays(word, from, to);
    }
    /** Adds each day and each two days in a row, unless these are all. */
    function addDays(word: number, from: number, to: number): void {
      let [before, start] = [-1, from];
      for (let at = from + 1; at <= to; at++) {
        const isNext = at === to || dayOf(item[at] as number) !== dayOf(item[start] as number);
        if (!isNext) continue;
        add(word, start, at);
        if (before >= 0 && (before > from || at < to)) add(word, before, at);
        [before, start] = [start, at];
      }
    }
    const order = Int32Array.from(totals, (_, at) => at).sort(
      (a, b) =>
        (totals[a] as number) - (totals[b] as number) ||
        (words[a] as number) - (words[b] as number) ||
        (starts[a] as number) - (starts[b] as number) ||
        (ends[a] as number) - (ends[b] as number),
    );
    this.total = Float64Array.from(order, (at) => totals[at] as number);
    this.word = order.map((at) => words[at] as number);
    this.from = order.map((at) => starts[at] as number);
    this.to = order.map((at) => ends[at] as number);
    this.days = Int32Array.from(days).sort();
  }

  /** How many groups begin on these days. */
  countBetween(first: number, last: number): number {
    return lowerBound(this.days, last + 1) - lowerBound(this.days, first);
  }

  /** Each group whose total lies between these. */
  *between(low: number, high: number): Generator<{ word: number; lines: number[] }> {
    for (let at = lowerBound(this.total, low); (this.total[at] as number) <= high; at++) {
      const lines = this.index.item.subarray(this.from[at], this.to[at]);
      yield { word: this.word[at] as number, lines: Array.from(lines) };
    }
  }
}
