import { growColumn, mix } from "./hash.ts";
import { folded } from "./text.ts";

const FIRST_CAPACITY = 2048;
const NONE = -1;

/**
 * Numbers words in the order in which they are added. The open-addressing hash table finds a word
 * by its bytes, without creating a string.
 */
export class Vocabulary {
  readonly spelling: string[] = [];
  private slots = new Int32Array(FIRST_CAPACITY).fill(NONE);
  private hashes = new Int32Array(FIRST_CAPACITY);

  /** The ID of a word in normal form. Adds the word if it is new. */
  idOf(word: string): number {
    const hash = hashOf(word);
    const slot = this.slotOf(word, hash);
    const id = this.slots[slot] as number;
    return id === NONE ? this.add(slot, hash, word) : id;
  }

  /** The ID of a word in normal form; −1 if no text has it. */
  find(word: string): number {
    return this.slots[this.slotOf(word, hashOf(word))] as number;
  }

  /** The slot of a word, or the empty slot where it would be added. */
  private slotOf(word: string, hash: number): number {
    let slot = hash & (this.slots.length - 1);
    for (let id = this.slots[slot] as number; id !== NONE; id = this.slots[slot] as number) {
      if (this.hashes[id] === hash && this.spelling[id] === word) return slot;
      slot = (slot + 1) & (this.slots.length - 1);
    }
    return slot;
  }

  /** The ID of a word of ASCII letters and digits in any case. Adds the word if it is new. */
  idOfBytes(bytes: Uint8Array, from: number, to: number): number {
    let hash = 0;
    for (let at = from; at < to; at++) hash = step(hash, folded(bytes[at] as number));
    hash = mix(hash);
    let slot = hash & (this.slots.length - 1);
    for (let id = this.slots[slot] as number; id !== NONE; id = this.slots[slot] as number) {
      if (this.hashes[id] === hash && hasSpelling(this.spelling[id] as string, bytes, from, to))
        return id;
      slot = (slot + 1) & (this.slots.length - 1);
    }
    return this.add(slot, hash, (bytes as Buffer).toString("latin1", from, to).toUpperCase());
  }

  private add(slot: number, hash: number, word: string): number {
    const id = this.spelling.length;
    this.spelling.push(word);
    this.slots[slot] = id;
    if (id === this.hashes.length) this.hashes = growColumn(this.hashes, 2 * id);
    this.hashes[id] = hash;
    if (2 * this.spelling.length > this.slots.length) this.grow();
    return id;
  }

  private grow(): void {
    this.slots = new Int32Array(2 * this.slots.length).fill(NONE);
    for (let id = 0; id < this.spelling.length; id++) {
      let slot = (this.hashes[id] as number) & (this.slots.length - 1);
      while (this.slots[slot] !== NONE) slot = (slot + 1) & (this.slots.length - 1);
      this.slots[slot] = id;
    }
  }
}

function hashOf(word: string): number {
  let hash = 0;
  for (let at = 0; at < word.length; at++) hash = step(hash, word.charCodeAt(at));
  return mix(hash);
}

function step(hash: number, letter: number): number {
  const next = Math.imul(hash ^ letter, 0x9e3779b1);
  return next ^ (next >>> 15);
}

function hasSpelling(word: string, bytes: Uint8Array, from: number, to: number): boolean {
  if (word.length !== to - from) return false;
  for (let at = 0; at < word.length; at++)
    if (word.charCodeAt(at) !== folded(bytes[from + at] as number)) return false;
  return true;
}
