/**
 * Finds lines whose text says that their amount was converted from another currency, such as "FRGN
 * AMT 4081" in a card feed or "Wechselkurs 1,0834" in a bank statement.
 */

import { FIELD_COUNT, type SideTexts, type Texts } from "../prepare/texts.ts";
import { toList } from "../prepare/to-list.ts";
import { isCharge } from "./charges.ts";

const CONVERSION =
  /\b(FRGN|FX|FOREIGN (AMT|AMOUNT|CURR(ENCY)?)|EXCH(ANGE)? RATE|CONVERSION RATE|(WECHSEL|UMRECHNUNGS)KURS|TAUX DE CHANGE|TIPO DE CAMBIO|TASSO DI CAMBIO)\b/i;
/** Every text that matches CONVERSION contains one of these words. */
const MARKERS =
  "FRGN FX FOREIGN EXCH EXCHANGE CONVERSION WECHSELKURS UMRECHNUNGSKURS TAUX CAMBIO".split(" ");

export class Conversions {
  private readonly texts: Texts;
  private readonly markers: ReadonlySet<number>;

  constructor(texts: Texts) {
    this.texts = texts;
    const markerWords = new Set(MARKERS);
    this.markers = new Set(
      texts.spelling.flatMap((spelling, word) => (markerWords.has(spelling) ? [word] : [])),
    );
  }

  /** Whether any text may mention a conversion. In most sources none does. */
  get mayOccur(): boolean {
    return this.markers.size > 0;
  }

  /** Whether a line's amount was converted. A fee for a conversion doesn't count. */
  isConverted(side: "left" | "right", line: number): boolean {
    const texts = this.texts[side];
    return (
      this.hasMarker(texts, line) &&
      CONVERSION.test(texts.lines.text(line, "description") ?? "") &&
      !isCharge(texts.lines, line)
    );
  }

  private hasMarker({ rowOf, start, words }: SideTexts, line: number): boolean {
    const row = rowOf[line] as number;
    if (row < 0) return false;
    const lineWords = toList(words, start[row * FIELD_COUNT], start[(row + 1) * FIELD_COUNT]);
    return lineWords.some((word) => this.markers.has(word));
  }
}
