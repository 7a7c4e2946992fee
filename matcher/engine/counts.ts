const FIRST_CAPACITY = 1024;

/** How often each of many numbers came: a table of open addressing in a third of the memory of a Map. */
export class Counts {
  private keys = new Float64Array(FIRST_CAPACITY).fill(NaN);
  private counts = new Int32Array(FIRST_CAPACITY);
  private size = 0;

  add(key: number): void {
    if (this.size * 2 >= this.keys.length) this.grow();
    const slot = this.slotOf(key);
    if (this.counts[slot] === 0) {
      this.keys[slot] = key;
      this.size += 1;
    }
    this.counts[slot] = (this.counts[slot] as number) + 1;
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
