/** The numbers by which lines are called: an invoice's, an order's, a payout's, as a reference or within a text. */
import { withoutCheckDigits } from "./check-digits.ts";
import { joined, wordsOf } from "./text.ts";

/** A text of more words is no reference, whatever field it stands in. */
const MOST_WORDS = 6;
/** Words of a number that is written in groups. */
const MOST_IN_A_ROW = 7;
const MOST_LETTERS = 40;
/** Of a number that is found in a text: shorter ones stand there for many reasons. */
export const LEAST_FOUND = 3;

/** Before a part of an MT940 narrative, written together with it. */
const SUBFIELD = /\?[0-6]\d/g;
/** Letters before a number, as in INV1041 or po_777. */
const PREFIXED = /^[A-Z]{1,6}0*(\d[A-Z0-9]*)$/;

/** A reference as one word, without leading zeros; null where it has no digit or is a sentence. */
export function identifierOf(reference: string | null): string | null {
  if (reference === null || !/\d/.test(reference)) return null;
  const words = wordsOf(reference, "reference");
  if (words.length > MOST_WORDS) return null;
  const name = withoutZeros(joined(words));
  const wordy = words.filter((word) => /^\p{L}{4,}$/u.test(word)).length;
  return /\d/.test(name) && wordy <= 1 && name.length <= MOST_LETTERS ? name : null;
}

/** How a number may be written otherwise: without its letters, or its check digits. */
export function formsOf(name: string): string[] {
  const forms = [name, ...withoutCheckDigits(name)];
  const bare = PREFIXED.exec(name)?.[1];
  if (bare !== undefined && digitsIn(bare) >= LEAST_FOUND) forms.push(bare);
  return forms;
}

/** The numbers of a text: its words with a digit, and such in a row, with the short word of letters before them. */
export function identifiersIn(text: string | null): string[] {
  if (text === null || !/\d/.test(text)) return [];
  const words = wordsOf(text.replaceAll(SUBFIELD, " "), "description");
  const names = new Set<string>();
  for (let from = 0; from < words.length; from++) {
    const first = words[from] as string;
    const isPrefix = first.length <= 4 && hasDigit(words[from + 1]);
    if (!hasDigit(first) && !isPrefix) continue;
    let name = "";
    for (let to = from; to < Math.min(words.length, from + MOST_IN_A_ROW); to++) {
      const word = words[to] as string;
      if (to > from && !hasDigit(word)) break;
      name += word;
      if (name.length > MOST_LETTERS) break;
      if (to > from || !isPrefix) names.add(withoutZeros(name));
    }
  }
  return [...names];
}

/** Which would hardly be equal by chance. */
export function isStrong(name: string): boolean {
  const digits = digitsIn(name);
  return digits >= 5 || (digits >= 4 && name.length >= 6);
}

export function digitsIn(name: string): number {
  return name.replaceAll(/\D/g, "").length;
}

/** A day or a year, which stands in texts for its own sake. */
export function isDate(name: string): boolean {
  if (/^(19|20)\d\d$|^\d{1,2}20\d\d$|^20\d\d\d{1,2}$/.test(name)) return true;
  const parts =
    /^(?:19|20)(\d\d)(\d\d)(\d\d)$/.exec(name)?.slice(2) ??
    /^(\d\d)(\d\d)(?:19|20)\d\d$/.exec(name)?.slice(1) ??
    /^\d\d(\d\d)(\d\d)$/.exec(name)?.slice(1);
  if (!parts) return false;
  const [one = 0, other = 0] = parts.map(Number);
  return (
    (one >= 1 && one <= 12 && other >= 1 && other <= 31) ||
    (other >= 1 && other <= 12 && one >= 1 && one <= 31)
  );
}

function withoutZeros(name: string): string {
  return name.replace(/^0+(?=\d)/, "");
}

function hasDigit(word: string | undefined): boolean {
  return word !== undefined && /\d/.test(word);
}
