/**
 * Lines that share a word, all of them or those of a day or of two days in a row, by their total: a
 * payout that names nothing is the sum of the charges of one batch number, wages are what goes to
 * one payroll service on one day.
 */
import type { Lines } from "../lines.ts";
import { firstFrom } from "../prepare/sorted.ts";
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
  private readonly line: (item: number) => number;

  /** @param index lists items by rising day. */
  constructor(
    lines: Lines,
    index: WordIndex,
    line: (item: number) => number,
    dayOf: (line: number) => number,
  ) {
    this.index = index;
    this.line = line;
    const groups: { total: number; word: number; from: number; to: number; day: number }[] = [];
    const add = (word: number, items: Int32Array, from: number, to: number) => {
      if (to - from < 2 || to - from > MAX_LINES) return;
      const first = line(items[from] as number);
      let total = 0;
      for (let at = from; at < to; at++) {
        const member = line(items[at] as number);
        if (lines.currency[member] !== lines.currency[first]) return;
        total += lines.amount[member] as number;
      }
      if (Number.isSafeInteger(total)) groups.push({ total, word, from, to, day: dayOf(first) });
    };
    for (let word = 0; word + 1 < index.start.length; word++) {
      const items = index.of(word);
      if (items.length < 2) continue;
      const starts = startsOfDays(items, (item) => dayOf(line(item)));
      add(word, items, 0, items.length);
      if (starts.length === 1) continue;
      starts.forEach((from, at) => {
        add(word, items, from, starts[at + 1] ?? items.length);
        if (starts.length > 2 && at + 1 < starts.length)
          add(word, items, from, starts[at + 2] ?? items.length);
      });
    }
    groups.sort(
      (one, other) =>
        one.total - other.total ||
        one.word - other.word ||
        one.from - other.from ||
        one.to - other.to,
    );
    this.total = Float64Array.from(groups, ({ total }) => total);
    this.word = Int32Array.from(groups, ({ word }) => word);
    this.from = Int32Array.from(groups, ({ from }) => from);
    this.to = Int32Array.from(groups, ({ to }) => to);
    this.days = Int32Array.from(groups, ({ day }) => day).sort();
  }

  /** How many groups begin on these days. */
  countBetween(first: number, last: number): number {
    return firstFrom(this.days, last + 1) - firstFrom(this.days, first);
  }

  /** Each group whose total lies between these. */
  *between(low: number, high: number): Generator<{ word: number; lines: number[] }> {
    for (let at = firstFrom(this.total, low); (this.total[at] as number) <= high; at++) {
      const word = this.word[at] as number;
      const items = this.index.of(word).subarray(this.from[at], this.to[at]);
      yield { word, lines: Array.from(items, this.line) };
    }
  }
}

function startsOfDays(items: Int32Array, dayOf: (item: number) => number): number[] {
  const starts: number[] = [];
  for (let at = 0; at < items.length; at++)
    if (at === 0 || dayOf(items[at] as number) !== dayOf(items[at - 1] as number)) starts.push(at);
  return starts;
}
