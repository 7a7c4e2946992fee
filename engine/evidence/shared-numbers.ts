/**
 * Long references that two lines share, found by the words that were read from them, without
 * creating strings for a hundred thousand pairs.
 */
import { isDate, isStrong } from "../prepare/identifiers.ts";
import { FIELD_COUNT, FIELDS, type SideTexts, type Texts } from "../prepare/texts.ts";

const REFERENCE = FIELDS.indexOf("reference");

export class SharedNumbers {
  private readonly texts: Texts;
  /** By word. */
  private readonly isLong: Uint8Array;

  constructor(texts: Texts) {
    this.texts = texts;
    this.isLong = Uint8Array.from(texts.spelling, (word) =>
      isStrong(word) && !isDate(word) ? 1 : 0,
    );
  }

  /** Whether the reference of one of two lines is a long number that the other says, too. */
  has(l: number, r: number): boolean {
    const { left, right } = this.texts;
    return this.says(left, l, right, r) || this.says(right, r, left, l);
  }

  private says(own: SideTexts, line: number, other: SideTexts, otherLine: number): boolean {
    const [row, otherRow] = [own.rowOf[line] as number, other.rowOf[otherLine] as number];
    if (row < 0 || otherRow < 0) return false;
    const from = own.start[row * FIELD_COUNT + REFERENCE] as number;
    if (own.start[row * FIELD_COUNT + REFERENCE + 1] !== from + 1) return false;
    const word = own.words[from] as number;
    if (this.isLong[word] === 0) return false;
    const to = other.start[(otherRow + 1) * FIELD_COUNT] as number;
    for (let at = other.start[otherRow * FIELD_COUNT] as number; at < to; at++)
      if (other.words[at] === word) return true;
    return false;
  }
}
