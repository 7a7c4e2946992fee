import { mix } from "./hash.ts";

const NONE = -1;

/** Some lines by their amount, in buckets: a Map of lists would cost more than is asked of it. */
export class ByAmount {
  private readonly amount: Float64Array;
  private readonly lines: Int32Array;
  /** By bucket the place of its last line in `lines`; by place the one before it. */
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

  /** Whether any line of an amount passes, the last ones first. */
  some(amount: number, isWanted: (line: number) => boolean): boolean {
    let at = this.head[this.bucketOf(amount)] as number;
    for (; at !== NONE; at = this.before[at] as number) {
      const line = this.lines[at] as number;
      if (this.amount[line] === amount && isWanted(line)) return true;
    }
    return false;
  }

  /** Safe integers: the upper bits count, too. */
  private bucketOf(amount: number): number {
    return mix((amount | 0) ^ Math.floor(amount / 4294967296)) & (this.head.length - 1);
  }
}
