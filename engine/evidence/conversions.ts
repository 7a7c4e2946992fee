/**
 * Lines whose text says that their amount was converted from another currency, as a card's feed
 * prints "FRGN AMT 4081" or a bank "Wechselkurs 1,0834".
 */

import { FIELD_COUNT, type SideTexts, type Texts } from "../prepare/texts.ts";
import { toList } from "../prepare/to-list.ts";
import { isCharge } from "./charges.ts";

const CONVERSION =
  /\b(FRGN|FX|FOREIGN (AMT|AMOUNT|CURR(ENCY)?)|EXCH(ANGE)? RATE|CONVERSION RATE|(WECHSEL|UMRECHNUNGS)KURS|TAUX DE CHANGE|TIPO DE CAMBIO|TASSO DI CAMBIO)\b/i;
/** Words that every text that says so has one of. */
const TELLING =
  "FRGN FX FOREIGN EXCH EXCHANGE CONVERSION WECHSELKURS UMRECHNUNGSKURS TAUX CAMBIO".split(" ");

export class Conversions {
  private readonly texts: Texts;
  private readonly telling: ReadonlySet<number>;

  constructor(texts: Texts) {
    this.texts = texts;
    const words = new Set(TELLING);
    this.telling = new Set(
      texts.spelling.flatMap((spelling, word) => (words.has(spelling) ? [word] : [])),
    );
  }

  /** Whether any text may say so: most sources never do. */
  get areSaid(): boolean {
    return this.telling.size > 0;
  }

  /** A fee for a conversion is no payment. */
  says(side: "left" | "right", line: number): boolean {
    const texts = this.texts[side];
    return (
      this.hasTellingWord(texts, line) &&
      CONVERSION.test(texts.lines.text(line, "description") ?? "") &&
      !isCharge(texts.lines, line)
    );
  }

  private hasTellingWord({ rowOf, start, words }: SideTexts, line: number): boolean {
    const row = rowOf[line] as number;
    if (row < 0) return false;
    const own = toList(words, start[row * FIELD_COUNT], start[(row + 1) * FIELD_COUNT]);
    return own.some((word) => this.telling.has(word));
  }
}
