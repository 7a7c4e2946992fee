/**
 * Extracts the numbers that identify lines, such as the number of an invoice, an order or a payout,
 * from references and from texts.
 */
import { withoutCheckDigits } from "./check-digits.ts";
import { isDigit, isNumber } from "./digits.ts";
import { joined, wordsOf } from "./text.ts";

/** A value with more words than this is not a reference number. */
const MAX_WORDS = 6;
/** The maximum number of groups in which a number may be written. */
const MAX_NUMBER_GROUPS = 7;
/** The maximum length of a number, in characters. */
const MAX_LENGTH = 40;
/** The minimum digits of a number in a text: shorter numbers occur for many other reasons. */
export const MIN_FOUND_DIGITS = 3;

/** A number with letters before it, as in INV1041 or po_777. */
const PREFIXED = /^[A-Z]{1,6}0*(\d[A-Z0-9]*)$/;
/** A number with a year before it, as in F/2026/18520. */
const YEAR_PREFIXED = /^[A-Z]{0,6}20\d\d0*(\d{4,})$/;
/** The maximum length of a word before a number that belongs to it. */
const MAX_PREFIX_LENGTH = 4;
/** The code of an MT940 subfield, which is written directly before its text. */
const SUBFIELD = /\?[0-6]\d/g;

/** A reference as one word, without leading zeros; null if it has no digit or is a sentence. */
export function identifierOf(reference: string | null): string | null {
  if (reference === null || !hasDigit(reference)) return null;
  const words = wordsOf(reference, "reference");
  if (words.length > MAX_WORDS) return null;
  const name = withoutZeros(joined(words));
  if (name.length > MAX_LENGTH || !hasDigit(name)) return null;
  return words.length < 2 || words.filter(isLongWord).length <= 1 ? name : null;
}

function isLongWord(word: string): boolean {
  return /^\p{L}{4,}$/u.test(word);
}

/**
 * The other forms in which a number is written: without its check digits, or without the letters
 * before it. Two numbers are the same if one of them is equal to any form of the other. INV-7 and
 * PO-7 are therefore different.
 */
export function otherFormsOf(name: string): string[] {
  return [...withoutCheckDigits(name), ...bareFormsOf(name)];
}

/** A number without the letters and zeros before it, and without the year before it. */
export function bareFormsOf(name: string): string[] {
  const bare = isDigit(name.charCodeAt(0)) ? undefined : PREFIXED.exec(name)?.[1];
  const withoutYear =
    name.includes("20") && !isDate(name) ? YEAR_PREFIXED.exec(name)?.[1] : undefined;
  const forms: string[] = [];
  for (const form of [bare, withoutYear])
    if (form !== undefined && digitsIn(form) >= MIN_FOUND_DIGITS) forms.push(form);
  return forms;
}

/**
 * The numbers of a text: its words with a digit, and sequences of such words, with a short word of
 * letters before them.
 */
export function identifiersIn(text: string | null): string[] {
  if (text === null || !hasDigit(text)) return [];
  const words = asciiWords(text) ?? wordsOf(text.replaceAll(SUBFIELD, " "), "description");
  const names: string[] = [];
  for (let from = 0; from < words.length; from++) {
    const first = words[from] as string;
    const isFirstNumber = hasDigit(first);
    if (!isFirstNumber) {
      const next = first.length <= MAX_PREFIX_LENGTH ? words[from + 1] : undefined;
      if (next === undefined || !hasDigit(next)) continue;
    }
    let name = first;
    if (isFirstNumber) add(names, name);
    for (let to = from + 1; to < Math.min(words.length, from + MAX_NUMBER_GROUPS); to++) {
      const word = words[to] as string;
      if (!hasDigit(word)) break;
      name += word;
      if (name.length > MAX_LENGTH) break;
      add(names, name);
    }
  }
  return names;
}

/** Whether a number in a text is the line's amount, with or without decimals. */
export function isAmount(name: string, minor: number): boolean {
  const size = Math.abs(minor);
  return name === String(size) || name === String(Math.floor(size / 100));
}

/** The words of an ASCII text in capitals; null for other texts. */
function asciiWords(text: string): string[] | null {
  const upper = (text.includes("?") ? text.replaceAll(SUBFIELD, " ") : text).toUpperCase();
  const words: string[] = [];
  let from = -1;
  for (let at = 0; at <= upper.length; at++) {
    const code = at < upper.length ? upper.charCodeAt(at) : 0;
    if (code > 127) return null;
    if ((code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a)) {
      if (from < 0) from = at;
    } else if (from >= 0) {
      words.push(upper.slice(from, at));
      from = -1;
    }
  }
  return words;
}

function add(names: string[], name: string): void {
  const plain = withoutZeros(name);
  if (!names.includes(plain)) names.push(plain);
}

/** A number with this many digits is strong evidence. */
export const STRONG_DIGITS = 5;

/** Whether a number is so long that it is hardly equal to another by chance. */
export function isStrong(name: string): boolean {
  const digits = digitsIn(name);
  return digits >= STRONG_DIGITS || (digits >= 4 && name.length >= 6);
}

export function digitsIn(name: string): number {
  let digits = 0;
  for (let at = 0; at < name.length; at++) if (isDigit(name.charCodeAt(at))) digits += 1;
  return digits;
}

/** Whether a number may be a date, a month or a year, which texts mention for other reasons. */
export function isDate(name: string): boolean {
  if (name.length < 4 || name.length > 8 || !isNumber(name)) return false;
  if (/^(19|20)\d\d$|^\d{1,2}20\d\d$|^20\d\d\d{1,2}$/.test(name)) return true;
  const parts =
    /^(?:19|20)\d\d(\d\d)(\d\d)$/.exec(name)?.slice(1) ??
    /^(\d\d)(\d\d)(?:19|20)\d\d$/.exec(name)?.slice(1) ??
    /^\d\d(\d\d)(\d\d)$/.exec(name)?.slice(1);
  if (!parts) return false;
  const [one = 0, other = 0] = parts.map(Number);
  return isDayOfMonth(one, other) || isDayOfMonth(other, one);
}

function isDayOfMonth(month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

function withoutZeros(name: string): string {
  return name.charCodeAt(0) === 0x30 ? name.replace(/^0+(?=\d)/, "") : name;
}

export function hasDigit(word: string): boolean {
  for (let at = 0; at < word.length; at++) if (isDigit(word.charCodeAt(at))) return true;
  return false;
}
