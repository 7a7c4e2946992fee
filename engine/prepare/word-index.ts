import { FIELD_COUNT, type SideTexts } from "./texts.ts";

/**
 * The items (lines or nodes) that have a word, for selected words. The items of word w are at
 * `start[w]` to before `start[w + 1]`, in order.
 */
export class WordIndex {
  readonly start: Int32Array;
  readonly item: Int32Array;

  /**
   * @param count the number of items.
   * @param rowOf the row of an item's texts; −1 if it has none.
   * @param isIndexed whether a word is indexed, given the number of items that have it.
   */
  constructor(
    side: SideTexts,
    vocabulary: number,
    count: number,
    rowOf: (item: number) => number,
    isIndexed: (word: number, count: number) => boolean,
  ) {
    const counts = new Int32Array(vocabulary);
    const last = new Int32Array(vocabulary).fill(-1);
    for (let item = 0; item < count; item++) {
      const row = rowOf(item);
      if (row < 0) continue;
      for (
        let at = side.start[row * FIELD_COUNT] as number;
        at < (side.start[(row + 1) * FIELD_COUNT] as number);
        at++
      ) {
        const word = side.words[at] as number;
        if (last[word] === item) continue;
        last[word] = item;
        counts[word] = (counts[word] as number) + 1;
      }
    }
    this.start = new Int32Array(vocabulary + 1);
    for (let word = 0; word < vocabulary; word++) {
      const size = counts[word] as number;
      this.start[word + 1] =
        (this.start[word] as number) + (size > 0 && isIndexed(word, size) ? size : 0);
    }
    this.item = new Int32Array(this.start[vocabulary] as number);
    const next = this.start.slice();
    last.fill(-1);
    for (let item = 0; item < count; item++) {
      const row = rowOf(item);
      if (row < 0) continue;
      for (
        let at = side.start[row * FIELD_COUNT] as number;
        at < (side.start[(row + 1) * FIELD_COUNT] as number);
        at++
      ) {
        const word = side.words[at] as number;
        if (last[word] === item || this.start[word] === this.start[word + 1]) continue;
        last[word] = item;
        this.item[next[word] as number] = item;
        next[word] = (next[word] as number) + 1;
      }
    }
  }

  has(word: number): boolean {
    return this.start[word] !== this.start[word + 1];
  }

  of(word: number): Int32Array {
    return this.item.subarray(this.start[word], this.start[word + 1]);
  }
}
