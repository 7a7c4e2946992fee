import { mix } from "./hash.ts";

const NONE = -1;

/** Looks up lines by amount in a hash table. Building a Map of lists would cost more. */
export class ByAmount {
  private readonly amount: Float64Array;
  private readonly lines: Int32Array;
  /**
   * `head` is the index in `lines` of each bucket's last line, `before` that of the line before.
   */
  private readonly head: Int32Array;
  private readonly before: Int32Array;

  /** @param amount by line, in minor units. */
  constructor(amount: Float64Array, lines: Int32Array) {
    this.amount = amount;
    this.lines = lines;
    this.head = new Int32Array(2 ** Math.ceil(Math.log2(lines.length + 16))).fill(NONE);
    this.before = new Int32Array(lines.length);
    for (let at = 0; at < lines.length; at++) {
      const bucket = this.bucketOf(amount[lines[at] as number] as number);
      this.before[at] = this.head[bucket] as number;
      this.head[bucket] = at;
    }
  }

  /** Whether any line with this amount passes a test. The last line is tested first. */
  some(amount: number, passes: (line: number) => boolean): boolean {
    let at = this.head[this.bucketOf(amount)] as number;
    for (; at !== NONE; at = this.before[at] as number) {
      const line = this.lines[at] as number;
      if (this.amount[line] === amount && passes(line)) return true;
    }
    return false;
  }

  /** Hashes both halves of the amount, because it may be any safe integer. */
  private bucketOf(amount: number): number {
    return mix((amount | 0) ^ Math.floor(amount / 4294967296)) & (this.head.length - 1);
  }
}
