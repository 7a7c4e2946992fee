/**
 * How people name the line that they reverse: a mark before or after its reference or its text, or
 * words that quote its number.
 */

import { isDigit, isNumber } from "../prepare/digits.ts";
import { hasDigit } from "../prepare/identifiers.ts";
import { joined } from "../prepare/text.ts";

/** Words of a reversing line, in normal form. Those of one or two letters only mark a reference. */
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
/** Words of a line that reverses another or, like a card's credit, may pay something itself. */
const PERHAPS: ReadonlySet<string> = new Set("ADJ ADJUSTMENT REFUND REFUNDED".split(" "));
/** Words between a mark and what it marks. */
const LINKS: ReadonlySet<string> = new Set(
  "OF FOR TO CREDIT ZU ZUR VON VOM DE DU DEL DI".split(" "),
);
export const MIN_MARK_LETTERS = 3;
/** Shorter numbers occur in texts for many reasons. */
export const MIN_QUOTED_LETTERS = 4;
const MOST_IN_A_ROW = 4;

/** A reference as one word, however it is spaced, and for a number without leading zeros. */
export function nameOf(words: readonly string[]): string {
  return withoutZeros(joined(words));
}

function withoutZeros(name: string): string {
  return name.charCodeAt(0) === 0x30 ? name.replace(/^0+(?=\d+$)/, "") : name;
}

/** Whether a text says that its line reverses another. */
export function namesReversal(words: readonly string[]): boolean {
  return words.some((word) => word.length >= MIN_MARK_LETTERS && MARKS.has(word));
}

/** The words that don't say that something is reversed. */
export function withoutMarks(words: readonly string[]): string[] {
  return words.filter((word) => !MARKS.has(word) && !LINKS.has(word));
}

/**
 * What a text names that begins or ends with a mark of at least `least` letters: the text without
 * the mark.
 */
export function unmarked(words: readonly string[], least = 1): string[] {
  return withoutAffixes(words, (word) => word.length >= least && MARKS.has(word));
}

/** The same for a text whose mark doesn't tell a reversal from another payment. */
export function possiblyUnmarked(words: readonly string[]): string[] {
  return withoutAffixes(words, (word) => PERHAPS.has(word));
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
 * The same for a reference, whose mark may be attached to it: a short one only if a digit is next
 * to it.
 */
export function unmarkedReference(words: readonly string[]): string[] {
  return [
    ...new Set([...unmarked(words), ...withoutGlued(joined(words)).map((rest) => nameOf([rest]))]),
  ];
}

function withoutGlued(whole: string): string[] {
  const rests: string[] = [];
  for (const mark of MARKS) {
    const [end, start] = [mark.length, whole.length - mark.length];
    const isLong = end >= MIN_MARK_LETTERS;
    if (whole.startsWith(mark) && (isLong || isDigit(whole.charCodeAt(end))))
      rests.push(whole.slice(end));
    if (whole.endsWith(mark) && (isLong || isDigit(whole.charCodeAt(start - 1))))
      rests.push(whole.slice(0, start));
  }
  return rests.filter((rest) => rest !== "");
}

/** The numbers that a text may quote: its words with a digit, alone and several in a row as one. */
export function quoted(words: readonly string[]): string[] {
  const names = new Set<string>();
  for (let from = 0; from < words.length; from++) {
    let whole = "";
    for (let to = from; to < Math.min(words.length, from + MOST_IN_A_ROW); to++) {
      whole += words[to];
      if (whole.length < MIN_QUOTED_LETTERS || !hasDigit(whole)) continue;
      const name = withoutZeros(whole);
      if (name.length >= MIN_QUOTED_LETTERS) names.add(name);
    }
  }
  return [...names];
}

/** The numbers of a reference, by which it is quoted without its letters. */
export function numbersOf(words: readonly string[]): string[] {
  const numbers = words
    .filter((word) => isNumber(word) && !/^(19|20)\d\d$/.test(word))
    .map((word) => nameOf([word]));
  return numbers.filter((number) => number.length >= MIN_QUOTED_LETTERS);
}
