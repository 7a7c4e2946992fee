/**
 * Which words of a side are one slip away from another. Such words have in common what is left of
 * them without one letter (Mor and Fraenkel, "A hash code method for detecting and correcting
 * spelling errors", Communications of the ACM 25, 1982).
 */
import { areClose, CLOSE_LENGTH } from "../evidence/alignment.ts";
import { FIELD_COUNT, type SideTexts, type Texts } from "../prepare/texts.ts";

const NONE = -1;
/** If more words than this share a shortened form, it says nothing. */
const CROWD = 8;
const BASE = 0x01000193;

export class CloseWords {
  private readonly texts: Texts;
  /** By bucket its first entry; by entry its word and the next of its bucket. */
  private readonly head: Int32Array;
  private readonly next: Int32Array;
  private readonly word: Int32Array;
  private readonly hash: Int32Array;
  /** By word that was asked for: where its close words stand in `near`, and how many. */
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
      if (length < CLOSE_LENGTH) continue;
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
      const count = shortened(spelling[word] as string);
      for (let at = 0; at < count; at++) {
        const hash = SHORTENED[at] as number;
        const bucket = this.bucketOf(hash);
        this.word[entry] = word;
        this.hash[entry] = hash;
        this.next[entry] = this.head[bucket] as number;
        this.head[bucket] = entry++;
      }
    }
  }

  /**
   * @returns where in `near` the words that are close to this one begin, and before where they end.
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
    if (spelling.length < CLOSE_LENGTH) return;
    const count = shortened(spelling);
    for (let at = 0; at < count; at++) {
      const hash = SHORTENED[at] as number;
      const first = this.head[this.bucketOf(hash)] as number;
      if (this.isCrowd(first, hash)) continue;
      for (let entry = first; entry !== NONE; entry = this.next[entry] as number) {
        const other = this.word[entry] as number;
        if (
          this.hash[entry] === hash &&
          other !== word &&
          !this.near.subarray(from, this.used).includes(other)
        )
          this.keep(word, other);
      }
    }
    this.counts[word] = this.used - from;
  }

  private isCrowd(first: number, hash: number): boolean {
    let size = 0;
    for (let entry = first; entry !== NONE; entry = this.next[entry] as number)
      if (this.hash[entry] === hash && ++size > CROWD) return true;
    return false;
  }

  private keep(word: number, other: number): void {
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

let SHORTENED = new Int32Array(64);

/**
 * Hashes of a word and of what is left of it without each of its letters, in SHORTENED. @returns
 * how many there are
 */
function shortened(word: string): number {
  const { length } = word;
  if (length >= SHORTENED.length) SHORTENED = new Int32Array(2 * length);
  let whole = 0;
  for (let at = 0; at < length; at++) whole = (Math.imul(whole, BASE) + word.charCodeAt(at)) | 0;
  SHORTENED[0] = whole;
  let count = 1;
  // From the last letter on: the hash of what follows it, and what it is multiplied by.
  let rest = 0;
  let power = 1;
  for (let at = length - 1; at >= 0; at--) {
    const own = Math.imul(power, word.charCodeAt(at));
    // What stands before it moves up by a letter. Of equal neighbours it is the same whichever
    // goes.
    if (at === 0 || word.charCodeAt(at) !== word.charCodeAt(at - 1))
      SHORTENED[count++] = (Math.imul((whole - own - rest) | 0, INVERSE) + rest) | 0;
    rest = (rest + own) | 0;
    power = Math.imul(power, BASE);
  }
  return count;
}

/** BASE's inverse modulo 2^32, by Newton's method: an odd number has one. */
const INVERSE = (() => {
  let inverse = BASE;
  for (let round = 0; round < 5; round++)
    inverse = Math.imul(inverse, 2 - Math.imul(BASE, inverse));
  return inverse;
})();
