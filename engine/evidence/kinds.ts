/**
 * Distinguishes kinds of movements that may have different lags: by direction, and by the first
 * word of the description if many begin with it. Checks clear in weeks and wires on the same day,
 * and banks name the kind at the beginning of the narrative.
 */
import { FIELD_COUNT, FIELDS, type SideTexts, type Texts } from "../prepare/texts.ts";
import type { Side } from "../side.ts";

/** The number of first words of a side that are distinguished; 0 stands for all others. */
const MAX_FIRST_WORDS = 7;
/** A first word is distinguished if at least this number and this share of lines begin with it. */
const MIN_LINES = 20;
const MIN_SHARE = 0.08;
/** A pair's kind combines its direction with one of eight first words of each side. */
export const KINDS = 2 * (MAX_FIRST_WORDS + 1) * (MAX_FIRST_WORDS + 1);

const DESCRIPTION = FIELDS.indexOf("description");

export class Kinds {
  /** By side: the first words that are distinguished, in the order of their numbers. */
  readonly firstWords: Readonly<Record<Side, string[]>>;
  private readonly left: Uint8Array;
  private readonly right: Uint8Array;

  /** @param firstWords the words to distinguish; by default the most frequent ones. */
  constructor(
    texts: Texts,
    firstWords: Readonly<Record<Side, string[]>> = {
      left: frequentFirstWords(texts, texts.left),
      right: frequentFirstWords(texts, texts.right),
    },
  ) {
    this.firstWords = firstWords;
    this.left = numbersOf(texts, texts.left, firstWords.left);
    this.right = numbersOf(texts, texts.right, firstWords.right);
  }

  /** @param amount of either line: both have the same sign. */
  of(leftRow: number, rightRow: number, amount: number): number {
    return (
      ((amount < 0 ? 1 : 0) * (MAX_FIRST_WORDS + 1) + (this.left[leftRow] as number)) *
        (MAX_FIRST_WORDS + 1) +
      (this.right[rightRow] as number)
    );
  }
}

/** By row: the first word of its description, −1 if it has none. */
function firstWordsOf(side: SideTexts): Int32Array {
  const first = new Int32Array(side.rows).fill(-1);
  for (let row = 0; row < side.rows; row++) {
    const at = side.start[row * FIELD_COUNT + DESCRIPTION] as number;
    if (at < (side.start[row * FIELD_COUNT + DESCRIPTION + 1] as number))
      first[row] = side.words[at] as number;
  }
  return first;
}

function frequentFirstWords(texts: Texts, side: SideTexts): string[] {
  const counts = new Map<number, number>();
  for (const word of firstWordsOf(side))
    if (word >= 0) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= Math.max(MIN_LINES, MIN_SHARE * side.rows))
    .map(([word, count]) => ({ spelling: texts.spelling[word] as string, count }))
    .sort((one, other) => other.count - one.count || (one.spelling < other.spelling ? -1 : 1))
    .slice(0, MAX_FIRST_WORDS)
    .map(({ spelling }) => spelling);
}

/** By row: the number of the first word of its description if it is distinguished, otherwise 0. */
function numbersOf(texts: Texts, side: SideTexts, distinguished: readonly string[]): Uint8Array {
  const numbers = new Map(distinguished.map((word, at) => [texts.numberOf(word), at + 1]));
  numbers.delete(-1);
  return Uint8Array.from(firstWordsOf(side), (word) => numbers.get(word) ?? 0);
}
