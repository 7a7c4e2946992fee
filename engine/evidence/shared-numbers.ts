/**
 * Finds long references that two lines share by comparing the words that were read from them, so
 * that no strings are created for hundreds of thousands of pairs.
 */
import { isDate, isStrong } from "../prepare/identifiers.ts";
import { FIELD_COUNT, FIELDS, type SideTexts, type Texts } from "../prepare/texts.ts";

const REFERENCE = FIELDS.indexOf("reference");

export class SharedNumbers {
  private readonly texts: Texts;
  /** By word: 1 for a long number that is not a date. */
  private readonly isLong: Uint8Array;

  constructor(texts: Texts) {
    this.texts = texts;
    this.isLong = Uint8Array.from(texts.spelling, (word) =>
      isStrong(word) && !isDate(word) ? 1 : 0,
    );
  }

  /** Whether the reference of one line is a long number that the other line contains. */
  has(l: number, r: number): boolean {
    const { left, right } = this.texts;
    return this.quotes(left, l, right, r) || this.quotes(right, r, left, l);
  }

  private quotes(side: SideTexts, line: number, other: SideTexts, otherLine: number): boolean {
    const [row, otherRow] = [side.rowOf[line] as number, other.rowOf[otherLine] as number];
    if (row < 0 || otherRow < 0) return false;
    const from = side.start[row * FIELD_COUNT + REFERENCE] as number;
    if (side.start[row * FIELD_COUNT + REFERENCE + 1] !== from + 1) return false;
    const word = side.words[from] as number;
    if (this.isLong[word] === 0) return false;
    const to = other.start[(otherRow + 1) * FIELD_COUNT] as number;
    for (let at = other.start[otherRow * FIELD_COUNT] as number; at < to; at++)
      if (other.words[at] === word) return true;
    return false;
  }
}
