/**
 * The numbers that identify lines: an invoice's, an order's, a payout's, as a reference or within a
 * text.
 */
import { withoutCheckDigits } from "./check-digits.ts";
import { isDigit, isNumber } from "./digits.ts";
import { joined, wordsOf } from "./text.ts";

/** A text of more words is not a reference, whatever its field. */
const MAX_WORDS = 6;
/** Words of a number that is written in groups. */
const MAX_NUMBER_GROUPS = 7;
const MAX_LETTERS = 40;
/** The minimum digits of a number found in a text: shorter ones occur for many reasons. */
export const MIN_FOUND_DIGITS = 3;

/** Letters before a number, as in INV1041 or po_777. */
const PREFIXED = /^[A-Z]{1,6}0*(\d[A-Z0-9]*)$/;
/** A year's number, as in F/2026/18520. */
const OF_A_YEAR = /^[A-Z]{0,6}20\d\d0*(\d{4,})$/;
const LONGEST_PREFIX = 4;
/** Before a part of an MT940 narrative, written together with it. */
const SUBFIELD = /\?[0-6]\d/g;

/** A reference as one word, without leading zeros; null where it has no digit or is a sentence. */
export function identifierOf(reference: string | null): string | null {
  if (reference === null || !hasDigit(reference)) return null;
  const words = wordsOf(reference, "reference");
  if (words.length > MAX_WORDS) return null;
  const name = withoutZeros(joined(words));
  if (name.length > MAX_LETTERS || !hasDigit(name)) return null;
  return words.length < 2 || words.filter(isWordy).length <= 1 ? name : null;
}

function isWordy(word: string): boolean {
  return /^\p{L}{4,}$/u.test(word);
}

/**
 * How a number is also written: without the letters before it, or without its check digits. Two
 * numbers are one where one of them, as it stands, is the other in any form: INV-7 and PO-7 are
 * not.
 */
export function otherFormsOf(name: string): string[] {
  return [...withoutCheckDigits(name), ...bareFormsOf(name)];
}

/** A number without the letters and zeros before it, and without the year. */
export function bareFormsOf(name: string): string[] {
  const bare = isDigit(name.charCodeAt(0)) ? undefined : PREFIXED.exec(name)?.[1];
  const ofYear = name.includes("20") && !isDate(name) ? OF_A_YEAR.exec(name)?.[1] : undefined;
  const forms: string[] = [];
  for (const form of [bare, ofYear])
    if (form !== undefined && digitsIn(form) >= MIN_FOUND_DIGITS) forms.push(form);
  return forms;
}

/**
 * The numbers of a text: its words with a digit, and such in a row, with the short word of letters
 * before them.
 */
export function identifiersIn(text: string | null): string[] {
  if (text === null || !hasDigit(text)) return [];
  const words = asciiWords(text) ?? wordsOf(text.replaceAll(SUBFIELD, " "), "description");
  const names: string[] = [];
  for (let from = 0; from < words.length; from++) {
    const first = words[from] as string;
    const isNumber = hasDigit(first);
    if (!isNumber) {
      const next = first.length <= LONGEST_PREFIX ? words[from + 1] : undefined;
      if (next === undefined || !hasDigit(next)) continue;
    }
    let name = first;
    if (isNumber) add(names, name);
    for (let to = from + 1; to < Math.min(words.length, from + MAX_NUMBER_GROUPS); to++) {
      const word = words[to] as string;
      if (!hasDigit(word)) break;
      name += word;
      if (name.length > MAX_LETTERS) break;
      add(names, name);
    }
  }
  return names;
}

/** Whether a number of a text is its line's amount, with or without its decimals. */
export function isAmount(name: string, minor: number): boolean {
  const size = Math.abs(minor);
  return name === String(size) || name === String(Math.floor(size / 100));
}

/** In capitals; null of a text that is not of ASCII alone. */
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

export const STRONG_DIGITS = 5;

/** Which would hardly be equal by chance. */
export function isStrong(name: string): boolean {
  const digits = digitsIn(name);
  return digits >= STRONG_DIGITS || (digits >= 4 && name.length >= 6);
}

export function digitsIn(name: string): number {
  let digits = 0;
  for (let at = 0; at < name.length; at++) if (isDigit(name.charCodeAt(at))) digits += 1;
  return digits;
}

/** A day, a month or a year, which stands in texts for its own sake. */
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
