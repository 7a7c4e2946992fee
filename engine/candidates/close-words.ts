/**
 * Finds the words of a side that are one typing slip away from a word. Such words are equal after
 * one letter is deleted from one or both of them (Mor and Fraenkel, "A hash code method for
 * detecting and correcting spelling errors", Communications of the ACM 25, 1982).
 */
import { areClose, MIN_CLOSE_LENGTH } from "../evidence/alignment.ts";
import { FIELD_COUNT, type SideTexts, type Texts } from "../prepare/texts.ts";

const NONE = -1;
/** A shortened form that more words than this share is ignored. */
const MAX_SHARING = 8;
/** The base of the polynomial hash. */
const BASE = 0x01000193;

export class CloseWords {
  private readonly texts: Texts;
  /** `head` is the first entry of each bucket, `next` the next entry of the same bucket. */
  private readonly head: Int32Array;
  private readonly next: Int32Array;
  private readonly word: Int32Array;
  private readonly hash: Int32Array;
  /** By word that was looked up: where its close words begin in `near`, and how many there are. */
  private readonly from: Int32Array;
  private readonly counts: Int32Array;
  near = new Int32Array(1024);
  private used = 0;

  constructor(texts: Texts, side: SideTexts) {
    this.texts = texts;
    const { spelling } = texts;
    const words: number[] = [];
    const seen = new Uint8Array(spelling.length);
    let entries = 0;
    for (let at = 0; at < (side.start[side.rows * FIELD_COUNT] as number); at++) {
      const word = side.words[at] as number;
      if (seen[word]) continue;
      seen[word] = 1;
      const { length } = spelling[word] as string;
      if (length < MIN_CLOSE_LENGTH) continue;
      words.push(word);
      entries += length + 1;
    }
    this.head = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(16, entries)))).fill(NONE);
    this.next = new Int32Array(entries);
    this.word = new Int32Array(entries);
    this.hash = new Int32Array(entries);
    this.from = new Int32Array(spelling.length).fill(NONE);
    this.counts = new Int32Array(spelling.length);
    let entry = 0;
    for (const word of words) {
      const count = hashShortened(spelling[word] as string);
      for (let at = 0; at < count; at++) {
        const hash = shortenedHashes[at] as number;
        const bucket = this.bucketOf(hash);
        this.word[entry] = word;
        this.hash[entry] = hash;
        this.next[entry] = this.head[bucket] as number;
        this.head[bucket] = entry++;
      }
    }
  }

  /**
   * @returns the range of `near` with the words that are close to this one; `to` is exclusive.
   */
  of(word: number): { from: number; to: number } {
    if (this.from[word] === NONE) this.find(word);
    const from = this.from[word] as number;
    return { from, to: from + (this.counts[word] as number) };
  }

  private find(word: number): void {
    const from = this.used;
    this.from[word] = from;
    const spelling = this.texts.spelling[word] as string;
    if (spelling.length < MIN_CLOSE_LENGTH) return;
    const count = hashShortened(spelling);
    for (let at = 0; at < count; at++) {
      const hash = shortenedHashes[at] as number;
      const first = this.head[this.bucketOf(hash)] as number;
      if (this.isTooCommon(first, hash)) continue;
      for (let entry = first; entry !== NONE; entry = this.next[entry] as number) {
        const other = this.word[entry] as number;
        if (
          this.hash[entry] === hash &&
          other !== word &&
          !this.near.subarray(from, this.used).includes(other)
        )
          this.addIfClose(word, other);
      }
    }
    this.counts[word] = this.used - from;
  }

  private isTooCommon(first: number, hash: number): boolean {
    let size = 0;
    for (let entry = first; entry !== NONE; entry = this.next[entry] as number)
      if (this.hash[entry] === hash && ++size > MAX_SHARING) return true;
    return false;
  }

  private addIfClose(word: number, other: number): void {
    if (!areClose(this.texts, word, other)) return;
    if (this.used === this.near.length) {
      const larger = new Int32Array(2 * this.used);
      larger.set(this.near);
      this.near = larger;
    }
    this.near[this.used++] = other;
  }

  private bucketOf(hash: number): number {
    return (Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> 8) & (this.head.length - 1);
  }
}

let shortenedHashes = new Int32Array(64);

/**
 * Writes the hashes of a word and of its shortened forms, each without one letter, to
 * `shortenedHashes`.
 * @returns the number of hashes.
 */
function hashShortened(word: string): number {
  const { length } = word;
  if (length >= shortenedHashes.length) shortenedHashes = new Int32Array(2 * length);
  let whole = 0;
  for (let at = 0; at < length; at++) whole = (Math.imul(whole, BASE) + word.charCodeAt(at)) | 0;
  shortenedHashes[0] = whole;
  let count = 1;
  // Goes from the last letter to the first: the hash of the letters after it, and its factor.
  let rest = 0;
  let power = 1;
  for (let at = length - 1; at >= 0; at--) {
    const term = Math.imul(power, word.charCodeAt(at));
    // The letters before it move up by one place. Deleting either of two equal neighbors gives the
    // same word, so only one is deleted.
    if (at === 0 || word.charCodeAt(at) !== word.charCodeAt(at - 1))
      shortenedHashes[count++] = (Math.imul((whole - term - rest) | 0, INVERSE) + rest) | 0;
    rest = (rest + term) | 0;
    power = Math.imul(power, BASE);
  }
  return count;
}

/** The inverse of BASE modulo 2^32, by Newton's method. It exists because BASE is odd. */
const INVERSE = (() => {
  let inverse = BASE;
  for (let round = 0; round < 5; round++)
    inverse = Math.imul(inverse, 2 - Math.imul(BASE, inverse));
  return inverse;
})();
