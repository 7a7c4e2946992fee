/**
 * The normal form in which texts are compared: NFKC, upper case, without diacritics, only letters
 * and digits, split into words. A reference also has no noise words and no gaps, a reference of
 * digits only no leading zeros, and a counterparty no legal forms. A text of noise words only is
 * not changed.
 */
import type { Hasher } from "./hash.ts";

export type TextField = "reference" | "counterparty" | "description" | "group_key";

const NOISE: Record<TextField, ReadonlySet<string>> = {
  reference: new Set([
    "REF",
    "REFERENCE",
    "NO",
    "NR",
    "NUM",
    "NUMBER",
    "INV",
    "INVOICE",
    "RECHNUNG",
    "RG",
    "RNR",
    "FACTURE",
  ]),
  counterparty: new Set(
    "GMBH AG KG UG SE EK LTD LIMITED PLC LLP LLC INC CORP CO COMPANY SA SAS SARL SRL SPA BV NV OY AB AS APS PTY SL THE AND UND ET MR MRS MS".split(
      " ",
    ),
  ),
  description: new Set(),
  group_key: new Set(),
};

/** Letters that Unicode does not decompose into a base letter and a mark. */
const FOLDED: Record<string, string> = {
  ß: "SS",
  ẞ: "SS",
  Æ: "AE",
  Œ: "OE",
  Ø: "O",
  Đ: "D",
  Ł: "L",
  Þ: "TH",
  ı: "I",
};

/** By ASCII byte: the letter in upper case or the digit, and 0 for characters between words. */
const ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code).toUpperCase();
  return /[A-Z0-9]/.test(letter) ? letter.charCodeAt(0) : 0;
});

/** Truncates a text to a number of whole characters. */
export function cut(text: string, max: number): string {
  return [...text].slice(0, max).join("");
}

/** The words of a text in normal form. */
export function wordsOf(text: string, field: TextField): string[] {
  const words = plainWords(text) ?? foldedWords(text);
  const noise = NOISE[field];
  const meaningful = noise.size > 0 ? words.filter((word) => !noise.has(word)) : words;
  const significant = meaningful.length > 0 ? meaningful : words;
  if (field !== "reference" || !significant.every((word) => /^\d+$/.test(word))) return significant;
  return significant.map((word, at) => (at === 0 ? word.replace(/^0+(?=\d)/, "") : word));
}

function foldedWords(text: string): string[] {
  const plain = foldLatin(text) ?? fold(text);
  return plainWords(plain) ?? plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Joins a reference to one word, so that "RF18 5390 0754" and "rf1853900754" are the same. */
export function joined(words: readonly string[]): string {
  return words.join("");
}

/** The words of an ASCII text in upper case; null for other texts. Most texts are ASCII. */
function plainWords(text: string): string[] | null {
  const upper = text.toUpperCase();
  const words: string[] = [];
  let from = -1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return null;
    if (ASCII[code] === 0) {
      if (from >= 0) words.push(upper.slice(from, at));
      from = -1;
    } else if (from < 0) from = at;
  }
  if (from >= 0) words.push(upper.slice(from));
  return words;
}

/** The maximum number of words of a text that are read. */
export const MAX_WORDS = 24;

/**
 * Finds the same words in the bytes of an ASCII text, as most texts are, without creating a string.
 * Writes the start and end of each word to `ranges`.
 * @returns the number of words, at most MAX_WORDS; −1 if the text must be read by `wordsOf`.
 */
export function wordRanges(
  bytes: Uint8Array,
  start: number,
  end: number,
  field: TextField,
  ranges: Int32Array,
): number {
  let all = 0;
  let significant = 0;
  for (let at = start; at < end; ) {
    const code = bytes[at] as number;
    if (code > 127) return -1;
    if (ASCII[code] === 0) {
      at += 1;
      continue;
    }
    let to = at + 1;
    while (to < end && (bytes[to] as number) < 128 && ASCII[bytes[to] as number] !== 0) to += 1;
    all += 1;
    if (!isNoise(bytes as Buffer, at, to, field, NOISE_LENGTHS[field])) {
      if (significant < MAX_WORDS) {
        ranges[2 * significant] = at;
        ranges[2 * significant + 1] = to;
      }
      significant += 1;
    }
    at = to;
  }
  if (significant === 0 && all > 0) return -1;
  if (field === "reference" && significant > MAX_WORDS) return -1;
  if (field === "reference" && significant > 0 && isNumber(bytes, ranges, significant)) {
    const last = (ranges[1] as number) - 1;
    while ((ranges[0] as number) < last && bytes[ranges[0] as number] === 0x30)
      ranges[0] = (ranges[0] as number) + 1;
  }
  return Math.min(significant, MAX_WORDS);
}

function isNumber(bytes: Uint8Array, ranges: Int32Array, words: number): boolean {
  for (let word = 0; word < words; word++) {
    for (let at = ranges[2 * word] as number; at < (ranges[2 * word + 1] as number); at++) {
      const code = bytes[at] as number;
      if (code < 0x30 || code > 0x39) return false;
    }
  }
  return true;
}

/** The letter in upper case, or the digit, of an ASCII byte of a word. */
export function folded(byte: number): number {
  return ASCII[byte] as number;
}

function fold(text: string): string {
  return text
    .normalize("NFKC")
    .toUpperCase()
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[ßẞÆŒØĐŁÞı]/g, (letter) => FOLDED[letter] ?? letter)
    .toUpperCase();
}

/**
 * Cached folded letters of European languages, none of which combines with the letter before it.
 */
const foldedLatin: string[] = [];
const LATIN_CODES = 0x250;

/** Folds a text of such letters letter by letter; null if the text has other characters. */
function foldLatin(text: string): string | null {
  let plain = "";
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= LATIN_CODES) return null;
    foldedLatin[code] ??= fold(text[at] as string);
    plain += foldedLatin[code];
  }
  return plain;
}

/**
 * Hashes the normal form of a UTF-8 text. An ASCII text, as most texts are, is hashed without
 * creating a string.
 * @returns false if the text has no letter or digit, and therefore counts as missing.
 */
export function hashText(
  hash: Hasher,
  bytes: Buffer,
  start: number,
  end: number,
  field: TextField,
): boolean {
  for (let at = start; at < end; at++)
    if ((bytes[at] as number) > 127) return hashDecoded(hash, bytes, start, end, field);
  hash.start(0);
  const isJoined = field === "reference";
  const noiseLengths = NOISE_LENGTHS[field];
  let letters = 0;
  let isLeadingZero = isJoined && onlyDigits(bytes, start, end);
  let hasNoise = false;
  for (let at = start; at < end; ) {
    if (ASCII[bytes[at] as number] === 0) {
      at += 1;
      continue;
    }
    let to = at;
    while (to < end && ASCII[bytes[to] as number] !== 0) to += 1;
    if (isNoise(bytes, at, to, field, noiseLengths)) hasNoise = true;
    else {
      if (letters > 0 && !isJoined) hash.word(0x20);
      for (; at < to; at++) {
        const letter = ASCII[bytes[at] as number] as number;
        // Skips leading zeros of the first word, except the last digit.
        if (isLeadingZero && letter === 0x30 && isDigit(bytes, at + 1, end)) continue;
        isLeadingZero = false;
        hash.word(letter);
        letters += 1;
      }
    }
    at = to;
  }
  if (letters === 0 && hasNoise) return hashDecoded(hash, bytes, start, end, field);
  // Leading zeros of a number after noise words were hashed and must be removed.
  if (hasNoise && isJoined && /\d/.test(String.fromCharCode(bytes[end - 1] as number)))
    return hashDecoded(hash, bytes, start, end, field);
  hash.finish();
  return letters > 0;
}

function hashDecoded(
  hash: Hasher,
  bytes: Buffer,
  start: number,
  end: number,
  field: TextField,
): boolean {
  hash.start(0);
  return hashWords(hash, wordsOf(bytes.toString("utf8", start, end), field), field === "reference");
}

/** Whether a word is a noise word. Its length and first letter rule out most words. */
function isNoise(
  bytes: Buffer,
  start: number,
  end: number,
  field: TextField,
  noiseLengths: Uint16Array,
): boolean {
  if (end - start > 15) return false;
  const first = ASCII[bytes[start] as number] as number;
  if (!(((noiseLengths[first] as number) >>> (end - start)) & 1)) return false;
  return NOISE[field].has(bytes.toString("latin1", start, end).toUpperCase());
}

function hashWords(hash: Hasher, words: readonly string[], isJoined: boolean): boolean {
  words.forEach((word, index) => {
    if (index > 0 && !isJoined) hash.word(0x20);
    for (let at = 0; at < word.length; at++) hash.word(word.charCodeAt(at));
  });
  hash.finish();
  return words.length > 0;
}

function isDigit(bytes: Buffer, at: number, end: number): boolean {
  const byte = at < end ? (bytes[at] as number) : 0;
  return byte >= 0x30 && byte <= 0x39;
}

function onlyDigits(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++)
    if ((ASCII[bytes[at] as number] as number) > 0x39) return false;
  return true;
}

/** By field and first letter: a bit for each length of a noise word. */
const NOISE_LENGTHS = Object.fromEntries(
  Object.entries(NOISE).map(([field, words]) => {
    const lengths = new Uint16Array(128);
    for (const word of words)
      lengths[word.charCodeAt(0)] = (lengths[word.charCodeAt(0)] as number) | (1 << word.length);
    return [field, lengths];
  }),
) as Record<TextField, Uint16Array>;
