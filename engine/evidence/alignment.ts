/**
 * Aligns the words of two lines: in each field first from the front and then in any order, then
 * across fields, and finally misspelled words.
 */
import { FIELD_COUNT, type SideTexts, type Texts } from "../prepare/texts.ts";

export const WORD = {
  /** The word is on one side only. */
  alone: 0,
  /** One of the first words of a field, which are the same on both sides. */
  prefix: 1,
  /** In the same field of both lines. */
  shared: 2,
  /** In another field of the other line. */
  elsewhere: 3,
  /** Cut off within the word on one side. */
  cut: 4,
  /** One letter or digit is wrong, missing or added, or two are swapped. */
  close: 5,
  /** After the position at which the other side is cut off. */
  unseen: 6,
} as const;

const MAX_WORDS = 128;
/** Shorter words are never compared for slips, because too many are one slip apart. */
export const MIN_CLOSE_LENGTH = 4;
/** The bits of a word's outline that hold its first letter. */
const FIRST_LETTER = 0xff00;

/** The alignment of one pair of lines: the arrays hold the pair that was aligned last. */
export class Alignment {
  readonly leftWords = new Int32Array(MAX_WORDS);
  readonly rightWords = new Int32Array(MAX_WORDS);
  readonly leftState = new Uint8Array(MAX_WORDS);
  readonly rightState = new Uint8Array(MAX_WORDS);
  /** Words of field f are those from `leftStart[f]` to before `leftStart[f + 1]`. */
  readonly leftStart = new Int32Array(FIELD_COUNT + 1);
  readonly rightStart = new Int32Array(FIELD_COUNT + 1);
  /** By field: how many of the first words are the same. */
  readonly prefix = new Int32Array(FIELD_COUNT);
  /** By field: 1 if the whole values are the same in normal form. */
  readonly equal = new Uint8Array(FIELD_COUNT);
  private readonly texts: Texts;

  constructor(texts: Texts) {
    this.texts = texts;
  }

  align(leftRow: number, rightRow: number): void {
    const { left, right } = this.texts;
    copyWords(left, leftRow, this.leftWords, this.leftStart, this.leftState);
    copyWords(right, rightRow, this.rightWords, this.rightStart, this.rightState);
    for (let field = 0; field < FIELD_COUNT; field++) this.alignField(field, leftRow, rightRow);
    this.alignAcross();
    for (let field = 0; field < FIELD_COUNT; field++) this.alignCloseWithin(field);
    this.alignClose(
      0,
      this.leftStart[FIELD_COUNT] as number,
      0,
      this.rightStart[FIELD_COUNT] as number,
    );
  }

  /**
   * Whether two rows without a shared word have anything else in common: a cut or misspelled word,
   * or a reference that is spaced differently.
   */
  haveSimilarText(leftRow: number, rightRow: number): boolean {
    return this.isCutOrRewritten(leftRow, rightRow) || this.hasCloseWords(leftRow, rightRow);
  }

  /** Whether a word of one row is one slip away from a word of the other row. */
  hasCloseWords(leftRow: number, rightRow: number): boolean {
    const { left, right, outline } = this.texts;
    const lefts = left.start[(leftRow + 1) * FIELD_COUNT] as number;
    const rights = right.start[(rightRow + 1) * FIELD_COUNT] as number;
    for (let i = left.start[leftRow * FIELD_COUNT] as number; i < lefts; i++) {
      if ((outline[left.words[i] as number] as number) >> 16 < MIN_CLOSE_LENGTH) continue;
      for (let j = right.start[rightRow * FIELD_COUNT] as number; j < rights; j++)
        if (
          left.words[i] !== right.words[j] &&
          areClose(this.texts, left.words[i] as number, right.words[j] as number)
        )
          return true;
    }
    return false;
  }

  /**
   * Whether a field's last word is cut off, while all words before it are the same as in the other
   * row, or whether the references are equal but spaced differently.
   */
  isCutOrRewritten(leftRow: number, rightRow: number): boolean {
    const { left, right, outline, spelling } = this.texts;
    for (let field = 0; field < FIELD_COUNT; field++) {
      let a = left.start[leftRow * FIELD_COUNT + field] as number;
      let b = right.start[rightRow * FIELD_COUNT + field] as number;
      const aEnd = left.start[leftRow * FIELD_COUNT + field + 1] as number;
      const bEnd = right.start[rightRow * FIELD_COUNT + field + 1] as number;
      if (a === aEnd || b === bEnd) continue;
      while (a < aEnd && b < bEnd && left.words[a] === right.words[b]) {
        a += 1;
        b += 1;
      }
      if (a === aEnd || b === bEnd) continue;
      // Only references have an equal normal form when their words differ.
      if (field === 0) {
        const key = left.valueKey(leftRow, field);
        if (key !== null && key === right.valueKey(rightRow, field)) return true;
      }
      if (aEnd - a > 1 && bEnd - b > 1) continue;
      const [leftWord, rightWord] = [left.words[a] as number, right.words[b] as number];
      if (((outline[leftWord] as number) ^ (outline[rightWord] as number)) & FIRST_LETTER) continue;
      if (
        aEnd - a === 1 &&
        (spelling[rightWord] as string).startsWith(spelling[leftWord] as string)
      )
        return true;
      if (
        bEnd - b === 1 &&
        (spelling[leftWord] as string).startsWith(spelling[rightWord] as string)
      )
        return true;
    }
    return false;
  }

  private alignField(field: number, leftRow: number, rightRow: number): void {
    const { leftWords, rightWords, leftState, rightState } = this;
    const [a, aEnd] = [this.leftStart[field] as number, this.leftStart[field + 1] as number];
    const [b, bEnd] = [this.rightStart[field] as number, this.rightStart[field + 1] as number];
    this.prefix[field] = 0;
    this.equal[field] = 0;
    if (a === aEnd || b === bEnd) return;
    const key = this.texts.left.valueKey(leftRow, field);
    if (key !== null && key === this.texts.right.valueKey(rightRow, field)) {
      this.equal[field] = 1;
      leftState.fill(WORD.prefix, a, aEnd);
      rightState.fill(WORD.prefix, b, bEnd);
      this.prefix[field] = aEnd - a;
      return;
    }
    let same = 0;
    while (a + same < aEnd && b + same < bEnd && leftWords[a + same] === rightWords[b + same])
      same += 1;
    this.prefix[field] = same;
    leftState.fill(WORD.prefix, a, a + same);
    rightState.fill(WORD.prefix, b, b + same);
    if (a + same < aEnd && b + same < bEnd) {
      const leftWord = this.texts.spelling[leftWords[a + same] as number] as string;
      const rightWord = this.texts.spelling[rightWords[b + same] as number] as string;
      const isLeftCut = a + same === aEnd - 1 && rightWord.startsWith(leftWord);
      const isRightCut = b + same === bEnd - 1 && leftWord.startsWith(rightWord);
      if (isLeftCut || isRightCut) {
        leftState[a + same] = WORD.cut;
        rightState[b + same] = WORD.cut;
        leftState.fill(WORD.unseen, a + same + 1, aEnd);
        rightState.fill(WORD.unseen, b + same + 1, bEnd);
        return;
      }
    }
    for (let i = a + same; i < aEnd; i++) {
      for (let j = b + same; j < bEnd; j++) {
        if (rightState[j] !== WORD.alone || leftWords[i] !== rightWords[j]) continue;
        leftState[i] = WORD.shared;
        rightState[j] = WORD.shared;
        break;
      }
    }
  }

  /** Aligns words across fields, for instance a reference with the other line's description. */
  private alignAcross(): void {
    const { leftWords, rightWords, leftState, rightState } = this;
    const leftCount = this.leftStart[FIELD_COUNT] as number;
    const rightCount = this.rightStart[FIELD_COUNT] as number;
    for (let i = 0; i < leftCount; i++) {
      for (let j = 0; j < rightCount; j++) {
        if (leftWords[i] !== rightWords[j]) continue;
        if (leftState[i] === WORD.alone) leftState[i] = WORD.elsewhere;
        if (rightState[j] === WORD.alone) rightState[j] = WORD.elsewhere;
      }
    }
  }

  /** Aligns misspelled words within a field. `align` then does so across all fields. */
  private alignCloseWithin(field: number): void {
    const { leftStart, rightStart } = this;
    this.alignClose(
      leftStart[field] as number,
      leftStart[field + 1] as number,
      rightStart[field] as number,
      rightStart[field + 1] as number,
    );
  }

  private alignClose(leftFrom: number, leftTo: number, rightFrom: number, rightTo: number): void {
    const { leftWords, rightWords, leftState, rightState } = this;
    for (let i = leftFrom; i < leftTo; i++) {
      if (leftState[i] !== WORD.alone) continue;
      if ((this.texts.outline[leftWords[i] as number] as number) >> 16 < MIN_CLOSE_LENGTH) continue;
      for (let j = rightFrom; j < rightTo; j++) {
        if (
          rightState[j] !== WORD.alone ||
          !areClose(this.texts, leftWords[i] as number, rightWords[j] as number)
        )
          continue;
        leftState[i] = WORD.close;
        rightState[j] = WORD.close;
        break;
      }
    }
  }
}

/**
 * Whether two words are one slip apart. The cheapest tests come first: one slip keeps the first or
 * the last letter, changes the length by at most one, and changes few letters.
 */
export function areClose(
  { outline, letters, spelling }: Texts,
  word: number,
  other: number,
): boolean {
  const [one, two] = [outline[word] as number, outline[other] as number];
  if ((one & 0xff) !== (two & 0xff) && (one & FIRST_LETTER) !== (two & FIRST_LETTER)) return false;
  const extraLetters = (one >> 16) - (two >> 16);
  if (
    extraLetters > 1 ||
    extraLetters < -1 ||
    differInMoreThanTwo(letters[word] as number, letters[other] as number)
  )
    return false;
  return isClose(spelling[word] as string, spelling[other] as string);
}

/** Whether more than two letter bits differ: one slip removes and adds at most one letter. */
function differInMoreThanTwo(a: number, b: number): boolean {
  const differing = a ^ b;
  const afterFirst = differing & (differing - 1);
  return (afterFirst & (afterFirst - 1)) !== 0;
}

function copyWords(
  side: SideTexts,
  row: number,
  words: Int32Array,
  start: Int32Array,
  state: Uint8Array,
): void {
  const first = side.start[row * FIELD_COUNT] as number;
  const count = Math.min(MAX_WORDS, (side.start[(row + 1) * FIELD_COUNT] as number) - first);
  for (let at = 0; at < count; at++) words[at] = side.words[first + at] as number;
  for (let field = 0; field <= FIELD_COUNT; field++)
    start[field] = Math.min(MAX_WORDS, (side.start[row * FIELD_COUNT + field] as number) - first);
  state.fill(WORD.alone, 0, count);
}

/**
 * Whether two words of sufficient length differ by at most one insertion, deletion, substitution or
 * swap of neighboring letters (Damerau 1964).
 */
export function isClose(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short.length < MIN_CLOSE_LENGTH || long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short.charCodeAt(at) === long.charCodeAt(at)) at += 1;
  let end = 0;
  while (
    end < short.length - at &&
    short.charCodeAt(short.length - 1 - end) === long.charCodeAt(long.length - 1 - end)
  )
    end += 1;
  const differing = short.length - at - end;
  if (long.length > short.length) return differing <= 0;
  if (differing <= 1) return true;
  return differing === 2 && short[at] === long[at + 1] && short[at + 1] === long[at];
}
