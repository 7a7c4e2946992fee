import type { Lines } from "../lines.ts";
import { digitsIn, isAmount, isDate, MIN_FOUND_DIGITS } from "../prepare/identifiers.ts";
import { FIELD_COUNT, FIELDS, type SideTexts, type Texts } from "../prepare/texts.ts";
import { toList } from "../prepare/to-list.ts";

const REFERENCE = FIELDS.indexOf("reference");
const NONE = -1;
const SEVERAL = -2;

/** Finds the line of one side whose reference a text of the other side quotes. */
export class QuotedReferences {
  private readonly texts: Texts;
  private readonly side: SideTexts;
  /** By word: the only line whose reference contains it, or NONE, or SEVERAL. */
  private readonly lineOf: Int32Array;

  constructor(texts: Texts, side: SideTexts) {
    this.texts = texts;
    this.side = side;
    this.lineOf = new Int32Array(texts.spelling.length).fill(NONE);
    for (let row = 0; row < side.lineOf.length; row++) {
      const line = side.lineOf[row] as number;
      const cell = row * FIELD_COUNT + REFERENCE;
      for (let at = side.start[cell] as number; at < (side.start[cell + 1] as number); at++) {
        const word = side.words[at] as number;
        const known = this.lineOf[word] as number;
        if (known !== line) this.lineOf[word] = known === NONE ? line : SEVERAL;
      }
    }
  }

  /** The lines of this side, other than `line`, whose reference a line of the other side quotes. */
  otherQuotedLines(
    line: number,
    quoting: Lines,
    quotingSide: SideTexts,
    quotingLine: number,
  ): number[] {
    const lineWords = new Set(wordsOf(this.side, line));
    const amount = quoting.amount[quotingLine] as number;
    return wordsOf(quotingSide, quotingLine).flatMap((word) => {
      const other = this.lineOf[word] as number;
      if (other < 0 || other === line || lineWords.has(word)) return [];
      const number = this.texts.spelling[word] as string;
      const isQuote =
        digitsIn(number) >= MIN_FOUND_DIGITS && !isDate(number) && !isAmount(number, amount);
      return isQuote ? [other] : [];
    });
  }
}

function wordsOf({ rowOf, start, words }: SideTexts, line: number): number[] {
  const row = rowOf[line] as number;
  return row < 0 ? [] : toList(words, start[row * FIELD_COUNT], start[(row + 1) * FIELD_COUNT]);
}
