/**
 * Distinguishes kinds of movements that may have different lags: by direction, and by the first
 * word of the description if many begin with it. Checks clear in weeks and wires on the same day,
 * and banks name the kind at the beginning of the narrative.
 */
import { FIELD_COUNT, FIELDS, type SideTexts, type Texts } from "../prepare/texts.ts";

/** The number of first words of a side that are distinguished; 0 stands for all others. */
const MAX_FIRST_WORDS = 7;
/** A first word is distinguished if at least this number and this share of lines begin with it. */
const MIN_LINES = 20;
const MIN_SHARE = 0.08;
/** A pair's kind combines its direction with one of eight first words of each side. */
export const KINDS = 2 * (MAX_FIRST_WORDS + 1) * (MAX_FIRST_WORDS + 1);

const DESCRIPTION = FIELDS.indexOf("description");

export class Kinds {
  private readonly left: Uint8Array;
  private readonly right: Uint8Array;

  constructor(texts: Texts) {
    this.left = firstWords(texts, texts.left);
    this.right = firstWords(texts, texts.right);
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

/**
 * By row: the number of the first word of its description if it is one of the most frequent first
 * words, otherwise 0.
 */
function firstWords(texts: Texts, side: SideTexts): Uint8Array {
  const counts = new Map<number, number>();
  const first = new Int32Array(side.rows).fill(-1);
  for (let row = 0; row < side.rows; row++) {
    const at = side.start[row * FIELD_COUNT + DESCRIPTION] as number;
    if (at === side.start[row * FIELD_COUNT + DESCRIPTION + 1]) continue;
    const word = side.words[at] as number;
    first[row] = word;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const spelling = (word: number) => texts.spelling[word] as string;
  const frequent = [...counts]
    .filter(([, count]) => count >= Math.max(MIN_LINES, MIN_SHARE * side.rows))
    .sort(
      ([one, count], [other, otherCount]) =>
        otherCount - count || (spelling(one) < spelling(other) ? -1 : 1),
    )
    .slice(0, MAX_FIRST_WORDS);
  const numbers = new Map(frequent.map(([word], at) => [word, at + 1]));
  return Uint8Array.from(first, (word) => numbers.get(word) ?? 0);
}
