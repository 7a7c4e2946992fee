const FIRST_CAPACITY = 1024;

/**
 * Counts how often each of many numbers occurs, in an open-addressing hash table that takes a third
 * of the memory of a Map.
 */
export class Counts {
  private keys: Float64Array;
  private counts: Int32Array;
  private size = 0;

  /** @param expected the expected count of numbers. More are accepted, at the cost of copying. */
  constructor(expected = 0) {
    const capacity = Math.max(FIRST_CAPACITY, 2 ** Math.ceil(Math.log2(2 * expected + 1)));
    this.keys = new Float64Array(capacity).fill(NaN);
    this.counts = new Int32Array(capacity);
  }

  add(key: number, by = 1): void {
    if (this.size * 2 >= this.keys.length) this.grow();
    const slot = this.slotOf(key);
    if (this.counts[slot] === 0) {
      this.keys[slot] = key;
      this.size += 1;
    }
    this.counts[slot] = (this.counts[slot] as number) + by;
  }

  get(key: number): number {
    return this.counts[this.slotOf(key)] as number;
  }

  private slotOf(key: number): number {
    const mask = this.keys.length - 1;
    let slot = Math.imul((key % 4294967291) | 0, 0x9e3779b1) & mask;
    slot = (slot ^ (Math.imul(Math.floor(key / 65536) | 0, 0x85ebca6b) >>> 7)) & mask;
    while (this.counts[slot] !== 0 && this.keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  private grow(): void {
    const { keys, counts } = this;
    this.keys = new Float64Array(2 * keys.length).fill(NaN);
    this.counts = new Int32Array(2 * counts.length);
    counts.forEach((count, slot) => {
      if (count === 0) return;
      const to = this.slotOf(keys[slot] as number);
      this.keys[to] = keys[slot] as number;
      this.counts[to] = count;
    });
  }
}
