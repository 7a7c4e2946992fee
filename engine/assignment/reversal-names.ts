/**
 * How a reversal names the line that it reverses: by a mark before or after that line's reference
 * or text, or by words that quote its number.
 */

import { isDigit, isNumber } from "../prepare/digits.ts";
import { hasDigit } from "../prepare/identifiers.ts";
import { joined } from "../prepare/text.ts";

/** Words that mark a reversal, in normal form. Those of one or two letters only mark references. */
const MARKS: ReadonlySet<string> = new Set(
  (
    "V R RV REV REVS REVERSE REVERSED REVERSAL VOID VOIDED CANC CANCEL CANCELED CANCELLED " +
    "CANCELLATION CXL RETURN RETURNED RTN BOUNCED DISHONORED DISHONOURED NSF UNDO CORRECTION " +
    "CHARGEBACK REJECTED RECALLED UNPAID REJET IMPAYE INSOLUTO DEVOLUCION DEVOLUCAO ESTORNO " +
    "RUCKLASTSCHRIFT RUECKLASTSCHRIFT " +
    "KORREKTUR RETOURE RUCKGABE STORNO STORNIERT STORNIERUNG STORNOBUCHUNG RUCKBUCHUNG " +
    "RUECKBUCHUNG GEGENBUCHUNG STORNATO ANNULE ANNULATION ANNULLATO EXTOURNE ANULADO ANULACION " +
    "RETUR RETURNERAD RETURNERET RETURNERT TILBAKEFORT TILBAKEFORING TILBAGEFORT TILBAGEFORSEL " +
    "ATERFORING MAKULERAD PALAUTUS PERUUTUS HYVITYS ZWROT ANULOWANO WYCOFANIE RETOUR RETOURNE " +
    "TERUGBOEKING STORNERING RETROCESION IADE IPTAL VRACENO VRATKA STORNOVANO"
  ).split(" "),
);
/** Words of a line that may reverse another or, like a credit on a card, be a payment itself. */
const POSSIBLE_MARKS: ReadonlySet<string> = new Set("ADJ ADJUSTMENT REFUND REFUNDED".split(" "));
/** Words between a mark and the name that it marks. */
const LINKS: ReadonlySet<string> = new Set(
  "OF FOR TO CREDIT ZU ZUR VON VOM DE DU DEL DI".split(" "),
);
export const MIN_MARK_LETTERS = 3;
/** Shorter numbers occur in texts for many other reasons. */
export const MIN_QUOTED_LETTERS = 4;
/** The maximum number of consecutive words that are read as one number. */
const MAX_WORDS_IN_NUMBER = 4;

/** A reference as one word, however it is spaced. A number has no leading zeros. */
export function nameOf(words: readonly string[]): string {
  return withoutZeros(joined(words));
}

function withoutZeros(name: string): string {
  return name.charCodeAt(0) === 0x30 ? name.replace(/^0+(?=\d+$)/, "") : name;
}

/** Whether a text says that its line reverses another. */
export function hasReversalMark(words: readonly string[]): boolean {
  return words.some((word) => word.length >= MIN_MARK_LETTERS && MARKS.has(word));
}

/** The words that are neither marks nor links. */
export function withoutMarks(words: readonly string[]): string[] {
  return words.filter((word) => !MARKS.has(word) && !LINKS.has(word));
}

/**
 * The names in a text that begins or ends with a mark of at least `minLetters` letters: the text
 * without the mark.
 */
export function unmarked(words: readonly string[], minLetters = 1): string[] {
  return withoutAffixes(words, (word) => word.length >= minLetters && MARKS.has(word));
}

/** Like `unmarked`, for marks that don't distinguish a reversal from another payment. */
export function possiblyUnmarked(words: readonly string[]): string[] {
  return withoutAffixes(words, (word) => POSSIBLE_MARKS.has(word));
}

function withoutAffixes(words: readonly string[], isMark: (word: string) => boolean): string[] {
  if (!words.some(isMark)) return [];
  const isAffix = (word: string) => isMark(word) || LINKS.has(word);
  const names = new Set<string>();
  for (let from = 0; from < words.length && words.slice(0, from).every(isAffix); from++) {
    for (let to = words.length; to > from && words.slice(to).every(isAffix); to--) {
      if ([...words.slice(0, from), ...words.slice(to)].some(isMark))
        names.add(nameOf(words.slice(from, to)));
    }
  }
  return [...names];
}

/**
 * Like `unmarked`, for a reference. A mark may be attached to it: a short mark only next to a
 * digit.
 */
export function unmarkedReference(words: readonly string[]): string[] {
  return [
    ...new Set([
      ...unmarked(words),
      ...withoutAttachedMark(joined(words)).map((rest) => nameOf([rest])),
    ]),
  ];
}

function withoutAttachedMark(whole: string): string[] {
  const remainders: string[] = [];
  for (const mark of MARKS) {
    const [end, start] = [mark.length, whole.length - mark.length];
    const isLong = end >= MIN_MARK_LETTERS;
    if (whole.startsWith(mark) && (isLong || isDigit(whole.charCodeAt(end))))
      remainders.push(whole.slice(end));
    if (whole.endsWith(mark) && (isLong || isDigit(whole.charCodeAt(start - 1))))
      remainders.push(whole.slice(0, start));
  }
  return remainders.filter((rest) => rest !== "");
}

/** The numbers that a text may quote: up to four consecutive words that have a digit, joined. */
export function quotedNumbers(words: readonly string[]): string[] {
  const names = new Set<string>();
  for (let from = 0; from < words.length; from++) {
    let whole = "";
    for (let to = from; to < Math.min(words.length, from + MAX_WORDS_IN_NUMBER); to++) {
      whole += words[to];
      if (whole.length < MIN_QUOTED_LETTERS || !hasDigit(whole)) continue;
      const name = withoutZeros(whole);
      if (name.length >= MIN_QUOTED_LETTERS) names.add(name);
    }
  }
  return [...names];
}

/** The numbers in a reference, by which texts quote it without its letters. Years don't count. */
export function numbersOf(words: readonly string[]): string[] {
  const numbers = words
    .filter((word) => isNumber(word) && !/^(19|20)\d\d$/.test(word))
    .map((word) => nameOf([word]));
  return numbers.filter((number) => number.length >= MIN_QUOTED_LETTERS);
}
