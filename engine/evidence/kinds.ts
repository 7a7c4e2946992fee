/**
 * The kind of movement of a line, as far as it affects the lag: its direction, and the first word
 * of its text if many begin with it. Checks clear in weeks, wires the same day, and banks name the
 * kind at the beginning of the narrative.
 */
import { FIELD_COUNT, FIELDS, type SideTexts, type Texts } from "../prepare/texts.ts";

/** The number of distinct words of a side; 0 stands for all others. */
const WORDS = 7;
/** Fewer lines have no separate habit. */
const MIN_LINES = 20;
const MIN_SHARE = 0.08;
/** A pair has a kind for its direction and for one of eight words of each side. */
export const KINDS = 2 * (WORDS + 1) * (WORDS + 1);

const DESCRIPTION = FIELDS.indexOf("description");

export class Kinds {
  private readonly left: Uint8Array;
  private readonly right: Uint8Array;

  constructor(texts: Texts) {
    this.left = firstWords(texts, texts.left);
    this.right = firstWords(texts, texts.right);
  }

  /** @param amount of either, for its sign: both have the same. */
  of(leftRow: number, rightRow: number, amount: number): number {
    return (
      ((amount < 0 ? 1 : 0) * (WORDS + 1) + (this.left[leftRow] as number)) * (WORDS + 1) +
      (this.right[rightRow] as number)
    );
  }
}

/**
 * By row a number for the first word of its description: the most frequent ones have one of their
 * own.
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
      ([one, ones], [other, others]) => others - ones || (spelling(one) < spelling(other) ? -1 : 1),
    )
    .slice(0, WORDS);
  const numbers = new Map(frequent.map(([word], at) => [word, at + 1]));
  return Uint8Array.from(first, (word) => numbers.get(word) ?? 0);
}
