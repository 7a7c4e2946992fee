/**
 * Computes hashes of 64 bits in two lanes of 32: two multiplicative streams with different odd
 * constants, each finished with the mixer of MurmurHash3 (Appleby 2011) over both. It is not
 * collision-resistant: a tenant who constructs collisions only disturbs their own run.
 */
export class Hasher {
  high = 0;
  low = 0;

  start(seed: number): this {
    this.high = 0xdeadbeef ^ seed;
    this.low = 0x41c6ce57 ^ seed;
    return this;
  }

  /** Adds 32 bits. */
  word(value: number): this {
    this.high = Math.imul(this.high ^ value, 0x9e3779b1);
    this.low = Math.imul(this.low ^ value, 0x5f356495);
    this.high ^= this.high >>> 15;
    this.low ^= this.low >>> 13;
    return this;
  }

  /** Adds a number: a safe integer or any other double. */
  number(value: number): this {
    DOUBLE[0] = value === 0 ? 0 : value;
    return this.word(WORDS[0] as number).word(WORDS[1] as number);
  }

  finish(): this {
    const high = mix(this.high) ^ mix(this.low + 0x7f4a7c15);
    this.low = mix(this.low ^ Math.imul(high, 0x85ebca6b)) >>> 0;
    this.high = mix(high) >>> 0;
    return this;
  }
}

/** 53 bits of a hash as a number, for maps and sets. */
export function numberOf(high: number, low: number): number {
  return (high & 0x1fffff) * 4294967296 + low;
}

const DOUBLE = new Float64Array(1);
const WORDS = new Uint32Array(DOUBLE.buffer);

/** The 32-bit finalizer of MurmurHash3. */
export function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** A column of hashes. Zero in both lanes stands for a missing value. */
export class HashColumn {
  high: Uint32Array;
  low: Uint32Array;

  constructor(capacity: number) {
    this.high = new Uint32Array(capacity);
    this.low = new Uint32Array(capacity);
  }

  grow(capacity: number): void {
    this.high = growColumn(this.high, capacity);
    this.low = growColumn(this.low, capacity);
  }

  set(index: number, hash: Hasher): void {
    this.high[index] = hash.high;
    this.low[index] = hash.low;
  }

  has(index: number): boolean {
    return this.high[index] !== 0 || this.low[index] !== 0;
  }

  equal(index: number, other: HashColumn, otherIndex: number): boolean {
    return this.high[index] === other.high[otherIndex] && this.low[index] === other.low[otherIndex];
  }

  compare(index: number, otherIndex: number): number {
    return (
      (this.high[index] as number) - (this.high[otherIndex] as number) ||
      (this.low[index] as number) - (this.low[otherIndex] as number)
    );
  }

  /** 53 bits of the hash as a number, for use as the key of a Map. */
  key(index: number): number {
    return numberOf(this.high[index] as number, this.low[index] as number);
  }
}

type Column = Float64Array | Float32Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** Copies a column into one with room for `capacity` values. */
export function growColumn<T extends Column>(column: T, capacity: number): T {
  const larger = new (column.constructor as new (length: number) => T)(capacity);
  larger.set(column as never);
  return larger;
}
