import { DAY_LEVELS, dayLevel } from "./levels.ts";
import type { Nodes } from "./nodes.ts";
import { FIELD_COUNT, type Texts } from "./texts.ts";
import type { World } from "./world.ts";

/** How the amounts and days of a pool are spread, and which text row each node has. */
export class Pool {
  readonly left: Nodes;
  readonly right: Nodes;
  readonly texts: Texts;
  /** By node: −ln of the probability that an unrelated line has this very amount; −ln of the density of amounts near it. */
  readonly leftRarity: Float64Array;
  readonly leftDensity: Float64Array;
  /** By day level: −ln of the probability that two unrelated lines are so far apart. */
  readonly dayRarity: Float64Array;
  readonly leftLines: number;
  readonly rightLines: number;
  private readonly world: World;
  private words: WordIndex | null = null;

  constructor(world: World, left: Nodes, right: Nodes) {
    const texts = world.texts();
    this.world = world;
    this.left = left;
    this.right = right;
    this.texts = texts;
    this.leftLines = left.start[left.count] as number;
    this.rightLines = right.start[right.count] as number;
    const spread = new AmountSpread(left, right);
    this.leftRarity = Float64Array.from({ length: left.count }, (_, l) => spread.rarity(left, l));
    this.leftDensity = Float64Array.from({ length: left.count }, (_, l) => spread.density(left, l));
    this.dayRarity = dayRarity(left, right);
  }

  /** The right nodes of each word that no more than `most` of them have. */
  wordIndex(most: number): WordIndex {
    if (!this.words) this.words = new WordIndex(this, most);
    return this.words;
  }

  isRejected(l: number, r: number): boolean {
    return this.left.isRejected(this.world, l, this.right, r);
  }

  leftRow(node: number): number {
    return this.texts.left.rowOf[this.left.line(node)] as number;
  }

  rightRow(node: number): number {
    return this.texts.right.rowOf[this.right.line(node)] as number;
  }
}

/** Right nodes by word: those of word w from `start[w]` to before `start[w + 1]`. */
export class WordIndex {
  readonly start: Int32Array;
  readonly node: Int32Array;

  constructor(pool: Pool, most: number) {
    const { right, spelling } = pool.texts;
    const count = new Int32Array(spelling.length);
    const last = new Int32Array(spelling.length).fill(-1);
    const each = (visit: (word: number, node: number) => void) => {
      last.fill(-1);
      for (let r = 0; r < pool.right.count; r++) {
        const row = pool.rightRow(r);
        for (let at = right.start[row * FIELD_COUNT] as number; at < (right.start[(row + 1) * FIELD_COUNT] as number); at++) {
          const word = right.words[at] as number;
          if (last[word] === r) continue;
          last[word] = r;
          visit(word, r);
        }
      }
    };
    each((word) => {
      count[word] = (count[word] as number) + 1;
    });
    this.start = new Int32Array(spelling.length + 1);
    for (let word = 0; word < spelling.length; word++) {
      this.start[word + 1] = (this.start[word] as number) + ((count[word] as number) <= most ? (count[word] as number) : 0);
    }
    this.node = new Int32Array(this.start[spelling.length] as number);
    const next = this.start.slice();
    each((word, node) => {
      if ((count[word] as number) > most) return;
      this.node[next[word] as number] = node;
      next[word] = (next[word] as number) + 1;
    });
  }
}

/** How many lines have an amount, and how many amounts lie near it, per currency and sign. */
class AmountSpread {
  private readonly counts = new Map<number, number>();
  private readonly near = new Map<number, number>();
  /** How many amounts are multiples of a grain, and of no larger one. */
  private readonly grains = new Map<number, number>();
  private readonly lines: number;

  constructor(left: Nodes, right: Nodes) {
    let lines = 0;
    for (const nodes of [left, right]) {
      for (let node = 0; node < nodes.count; node++) {
        const size = nodes.size(node);
        lines += size;
        add(this.counts, amountKey(nodes, node), size);
        add(this.grains, grainOf(nodes.amount[node] as number), size);
        add(this.near, binKey(nodes, node), size);
      }
    }
    this.lines = lines;
  }

  /** Other lines with this very amount were seen, or it is as rare as its size and roundness make it. */
  rarity(nodes: Nodes, node: number): number {
    const amount = nodes.amount[node] as number;
    const grain = grainOf(amount);
    const others = Math.max(0, (this.counts.get(amountKey(nodes, node)) as number) - 2);
    const perUnit = Math.exp(-this.density(nodes, node)) / Math.max(1, Math.abs(amount));
    const round = ((this.grains.get(grain) ?? 0) + PRIOR_LINES * expectedOf(grain)) / (this.lines + PRIOR_LINES);
    return -Math.log(Math.min(1, others / this.lines + perUnit * grain * round));
  }

  /** −ln of the share of lines per nat of amount. */
  density(nodes: Nodes, node: number): number {
    const key = binKey(nodes, node);
    const near = 2 * (this.near.get(key) ?? 0) + (this.near.get(key - 1) ?? 0) + (this.near.get(key + 1) ?? 0);
    return -Math.log(((near / 4) * BINS_PER_NAT + 5) / (this.lines + PRIOR_LINES));
  }
}

const BINS_PER_NAT = 10;
const PRIOR_LINES = 50;
const GRAINS = [100_000, 10_000, 1000, 100, 10];

/** The largest round step that an amount is a multiple of. */
function grainOf(amount: number): number {
  return GRAINS.find((grain) => amount % grain === 0) ?? 1;
}

/** How many amounts are so round, before any is seen. */
function expectedOf(grain: number): number {
  return grain === 1 ? 0.6 : 0.08;
}

function add(counts: Map<number, number>, key: number, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** Amounts of one currency only meet in a rule; of two currencies they rarely are the same. */
function amountKey(nodes: Nodes, node: number): number {
  return nodes.amount[node] as number;
}

function binKey(nodes: Nodes, node: number): number {
  const amount = nodes.amount[node] as number;
  const line = nodes.line(node);
  return (
    (nodes.lines.currency[line] as number) * 4000 +
    (amount < 0 ? 2000 : 0) +
    Math.floor(Math.log(Math.max(1, Math.abs(amount))) * BINS_PER_NAT)
  );
}

function dayRarity(left: Nodes, right: Nodes): Float64Array {
  const share = new Float64Array(DAY_LEVELS);
  const leftDays = countDays(left);
  const rightDays = countDays(right);
  let pairs = 0;
  for (const [leftDay, leftCount] of leftDays) {
    for (const [rightDay, rightCount] of rightDays) {
      const level = dayLevel(rightDay - leftDay);
      share[level] = (share[level] as number) + leftCount * rightCount;
      pairs += leftCount * rightCount;
    }
  }
  // Few lines say little of how days are spread: as much as a month of them is assumed beside.
  return share.map((count) => -Math.log((count + 200 / 30) / (pairs + 200)));
}

function countDays(nodes: Nodes): Map<number, number> {
  const days = new Map<number, number>();
  for (let node = 0; node < nodes.count; node++) add(days, nodes.day[node] as number, nodes.size(node));
  return days;
}
