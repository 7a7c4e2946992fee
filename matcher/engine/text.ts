/**
 * The normal form in which texts are compared: NFKC, upper case, no diacritics, letters and digits only, split into words; of a
 * reference also no noise words, no gaps, and of a number no leading zeros, of a counterparty no legal forms. A text of nothing but noise is kept.
 */
import type { Hasher } from "./hash.ts";

export type TextField = "reference" | "counterparty" | "description" | "group_key";

const NOISE: Record<TextField, ReadonlySet<string>> = {
  reference: new Set(["REF", "REFERENCE", "NO", "NR", "NUM", "NUMBER", "INV", "INVOICE", "RECHNUNG", "RG", "RNR", "FACTURE"]),
  counterparty: new Set(
    "GMBH AG KG UG SE EK LTD LIMITED PLC LLP LLC INC CORP CO COMPANY SA SAS SARL SRL SPA BV NV OY AB AS APS PTY SL THE AND UND ET MR MRS MS".split(
      " ",
    ),
  ),
  description: new Set(),
  group_key: new Set(),
};

/** Letters that Unicode does not take apart into a base and a mark. */
const FOLDED: Record<string, string> = { ß: "SS", ẞ: "SS", Æ: "AE", Œ: "OE", Ø: "O", Đ: "D", Ł: "L", Þ: "TH", ı: "I" };

/** For each byte of ASCII its folded letter or digit, 0 for what separates words. */
const ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code).toUpperCase();
  return /[A-Z0-9]/.test(letter) ? letter.charCodeAt(0) : 0;
});

/** The words of a text in normal form. */
export function wordsOf(text: string, field: TextField): string[] {
  const words = fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  const noise = NOISE[field];
  const kept = noise.size > 0 ? words.filter((word) => !noise.has(word)) : words;
  const telling = kept.length > 0 ? kept : words;
  if (field !== "reference" || !telling.every((word) => /^\d+$/.test(word))) return telling;
  return telling.map((word, at) => (at === 0 ? word.replace(/^0+(?=\d)/, "") : word));
}

/** A reference as one word: "RF18 5390 0754" and "rf1853900754" are the same. */
export function joined(words: readonly string[]): string {
  return words.join("");
}

function fold(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  if (/^[\x00-\x7f]*$/.test(text)) return text.toUpperCase();
  return text
    .normalize("NFKC")
    .toUpperCase()
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[ßẞÆŒØĐŁÞı]/g, (letter) => FOLDED[letter] ?? letter)
    .toUpperCase();
}

/**
 * Hashes the normal form of a UTF-8 text. ASCII without noise words, by far the most, is hashed as it stands.
 * @returns false where the text has no letter or digit: it counts as missing.
 */
export function hashText(hash: Hasher, bytes: Uint8Array, start: number, end: number, field: TextField): boolean {
  hash.start(0);
  const together = field === "reference";
  if (!isPlain(bytes, start, end, field)) return hashWords(hash, wordsOf(decoder.decode(bytes.subarray(start, end)), field), together);
  let letters = 0;
  let inWord = false;
  let zeros = together && onlyDigits(bytes, start, end);
  for (let at = start; at < end; at++) {
    const letter = ASCII[bytes[at] as number] as number;
    if (letter === 0) {
      inWord = false;
      continue;
    }
    if (!inWord && letters > 0 && !together) hash.word(0x20);
    inWord = true;
    // Leading zeros of the first word, but for its last digit.
    if (zeros && letter === 0x30 && isDigit(bytes, at + 1, end)) continue;
    zeros = false;
    hash.word(letter);
    letters += 1;
  }
  hash.finish();
  return letters > 0;
}

const decoder = new TextDecoder();

function hashWords(hash: Hasher, words: readonly string[], together: boolean): boolean {
  words.forEach((word, index) => {
    if (index > 0 && !together) hash.word(0x20);
    for (let at = 0; at < word.length; at++) hash.word(word.charCodeAt(at));
  });
  hash.finish();
  return words.length > 0;
}

function isDigit(bytes: Uint8Array, at: number, end: number): boolean {
  const byte = at < end ? (bytes[at] as number) : 0;
  return byte >= 0x30 && byte <= 0x39;
}

function onlyDigits(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((ASCII[bytes[at] as number] as number) > 0x39) return false;
  return true;
}

/** Whether the text is ASCII and none of its words is noise: a word's length and first letter rule most out. */
function isPlain(bytes: Uint8Array, start: number, end: number, field: TextField): boolean {
  const suspects = SUSPECTS[field];
  let wordStart = -1;
  for (let at = start; at <= end; at++) {
    const byte = at < end ? (bytes[at] as number) : 0;
    if (byte > 127) return false;
    const letter = ASCII[byte] as number;
    if (letter !== 0) {
      if (wordStart < 0) wordStart = at;
    } else if (wordStart >= 0) {
      const length = at - wordStart;
      if (length < 16 && ((suspects[ASCII[bytes[wordStart] as number] as number] as number) >>> length) & 1) return false;
      wordStart = -1;
    }
  }
  return true;
}

/** For each first letter of a field's noise words, a bit for each of their lengths. */
const SUSPECTS = Object.fromEntries(
  Object.entries(NOISE).map(([field, words]) => {
    const lengths = new Uint16Array(128);
    for (const word of words) lengths[word.charCodeAt(0)] = (lengths[word.charCodeAt(0)] as number) | (1 << word.length);
    return [field, lengths];
  }),
) as Record<TextField, Uint16Array>;
