import { toNats } from "../evidence/estimates.ts";
import type { Kinds } from "../evidence/kinds.ts";
import { DAY_LEVELS, dayLevel } from "../evidence/levels.ts";
import { Counts } from "../prepare/counts.ts";
import type { Nodes } from "../prepare/nodes.ts";
import type { RunState } from "../prepare/run-state.ts";
import { FIELD_COUNT, type SideTexts, type Texts } from "../prepare/texts.ts";
import { WordIndex } from "../prepare/word-index.ts";
import { opposite, type Side } from "../side.ts";
import type { CloseWords } from "./close-words.ts";

/** The nodes that a rule may match, and the distribution of their amounts and days. */
export class Pool {
  readonly left: Nodes;
  readonly right: Nodes;
  readonly texts: Texts;
  /**
   * The side with fewer nodes, whose counterparts are searched on the other side. A few new lines
   * therefore cost little, however many lines are open.
   */
  readonly seeking: Side;
  readonly seekers: Nodes;
  readonly sought: Nodes;
  /**
   * By seeking node and by sought node: −ln of the probability that an unrelated line has exactly
   * this amount.
   */
  readonly rarity: Float64Array;
  readonly soughtRarity: Float64Array;
  /** By seeking node: −ln of the density of amounts near its amount. */
  readonly density: Float64Array;
  /** By day level: −ln of the probability that two unrelated lines are that many days apart. */
  readonly dayRarity: Float64Array;
  readonly leftLines: number;
  readonly rightLines: number;
  /** By node: the row of its line in the texts. */
  private readonly rows: { left: Int32Array; right: Int32Array };
  private readonly state: RunState;
  private readonly kinds: Kinds;
  private words: WordIndex | null = null;
  private common: Int32Array | null = null;

  /**
   * @param knownDayRarity what a full run found; needed if the run is limited to some lines, whose
   *   days tell little about the others.
   */
  constructor(state: RunState, left: Nodes, right: Nodes, knownDayRarity?: readonly number[]) {
    const texts = state.texts();
    this.state = state;
    this.kinds = state.kinds();
    this.left = left;
    this.right = right;
    this.texts = texts;
    this.seeking = right.count < left.count ? "right" : "left";
    this.seekers = this.seeking === "left" ? left : right;
    this.sought = this.seeking === "left" ? right : left;
    this.leftLines = state.isLimited ? texts.left.rows : (left.start[left.count] as number);
    this.rightLines = state.isLimited ? texts.right.rows : (right.start[right.count] as number);
    this.rows = {
      left: rowsOf(left, texts.left),
      right: rowsOf(right, texts.right),
    };
    const distribution = state.isLimited
      ? amountsOfLines([texts.left, texts.right])
      : amountsOfNodes([left, right]);
    this.rarity = new Float64Array(this.seekers.count);
    this.density = new Float64Array(this.seekers.count);
    this.soughtRarity = new Float64Array(this.sought.count);
    for (let node = 0; node < this.sought.count; node++)
      this.soughtRarity[node] = distribution.rarity(this.sought, node);
    for (let node = 0; node < this.seekers.count; node++) {
      this.rarity[node] = distribution.rarity(this.seekers, node);
      this.density[node] = distribution.density(this.seekers, node);
    }
    this.dayRarity = knownDayRarity
      ? Float64Array.from(toNats(knownDayRarity))
      : dayRarityOf(left, right);
  }

  /** The sought nodes by word, for words that at most `max` of them have. */
  wordIndex(max: number): WordIndex {
    this.words ??= new WordIndex(
      this.soughtTexts,
      this.texts.spelling.length,
      this.sought.count,
      (node) => this.soughtRows[node] as number,
      (_, count) => count <= max,
    );
    return this.words;
  }

  /**
   * By sought node: the bits of its words that are not in the index. They are compared first, to
   * rule out quickly that two nodes share such a word.
   */
  commonWords(index: WordIndex): Int32Array {
    if (this.common) return this.common;
    const { start, words } = this.soughtTexts;
    const bits = new Int32Array(this.sought.count);
    for (let node = 0; node < this.sought.count; node++) {
      const cell = (this.soughtRows[node] as number) * FIELD_COUNT;
      for (let at = start[cell] as number; at < (start[cell + FIELD_COUNT] as number); at++) {
        const word = words[at] as number;
        if (!index.has(word)) bits[node] = (bits[node] as number) | bitOf(word);
      }
    }
    this.common = bits;
    return bits;
  }

  get seekersTexts(): SideTexts {
    return this.texts[this.seeking];
  }

  get soughtTexts(): SideTexts {
    return this.texts[opposite(this.seeking)];
  }

  get seekersRows(): Int32Array {
    return this.rows[this.seeking];
  }

  get soughtRows(): Int32Array {
    return this.rows[opposite(this.seeking)];
  }

  closeWords(): CloseWords {
    return this.state.closeWords(this.soughtTexts);
  }

  isRejected(l: number, r: number): boolean {
    return this.left.isRejected(this.state, l, this.right, r);
  }

  /** The kind of movement of a pair; see `Kinds`. */
  kindOf(l: number, r: number): number {
    return this.kinds.of(this.leftRow(l), this.rightRow(r), this.left.amount[l] as number);
  }

  leftRow(node: number): number {
    return this.rows.left[node] as number;
  }

  rightRow(node: number): number {
    return this.rows.right[node] as number;
  }
}

function rowsOf(nodes: Nodes, texts: SideTexts): Int32Array {
  const rows = new Int32Array(nodes.count);
  for (let node = 0; node < nodes.count; node++)
    rows[node] = texts.rowOf[nodes.line(node)] as number;
  return rows;
}

/** Neighboring words of the vocabulary often occur together, so they have different bits. */
export function bitOf(word: number): number {
  return 1 << (word & 31);
}

/** Counts lines with an amount, and lines with amounts near it per currency and sign. */
class AmountDistribution {
  private readonly counts = new Counts();
  private readonly near = new Map<number, number>();
  /** By grain: how many lines have an amount that is a multiple of it, and of no larger grain. */
  private readonly grains = new Map<number, number>();
  private lines = 0;

  /** Amounts of two currencies are never compared and rarely equal, so their counts are shared. */
  add(amount: number, currency: number, lines: number): void {
    this.lines += lines;
    this.counts.add(amount, lines);
    add(this.grains, grainOf(amount), lines);
    add(this.near, binKey(amount, currency), lines);
  }

  /**
   * −ln of the probability that an unrelated line has exactly this amount: the share of other lines
   * that have it, plus the probability that its size and roundness suggest.
   */
  rarity(nodes: Nodes, node: number): number {
    const amount = nodes.amount[node] as number;
    const grain = grainOf(amount);
    const others = Math.max(0, this.counts.get(amount) - 2);
    const perUnit = Math.exp(-this.density(nodes, node)) / Math.max(1, Math.abs(amount));
    const roundness =
      ((this.grains.get(grain) ?? 0) + PRIOR_LINES * priorShareOf(grain)) /
      (this.lines + PRIOR_LINES);
    return -Math.log(Math.min(1, others / this.lines + perUnit * grain * roundness));
  }

  /** −ln of the share of lines per nat of amount. */
  density(nodes: Nodes, node: number): number {
    const key = binKey(nodes.amount[node] as number, currencyOf(nodes, node));
    const near =
      2 * (this.near.get(key) ?? 0) + (this.near.get(key - 1) ?? 0) + (this.near.get(key + 1) ?? 0);
    return -Math.log(((near / 4) * BINS_PER_NAT + 5) / (this.lines + PRIOR_LINES));
  }
}

const BINS_PER_NAT = 10;
const PRIOR_LINES = 50;
const GRAINS = [100_000, 10_000, 1000, 100, 10];

/** The largest of the grains that an amount is a multiple of; 1 if there is none. */
function grainOf(amount: number): number {
  return GRAINS.find((grain) => amount % grain === 0) ?? 1;
}

/** The share of amounts with this grain that is assumed before any are seen. */
function priorShareOf(grain: number): number {
  return grain === 1 ? 0.6 : 0.08;
}

function add(counts: Map<number, number>, key: number, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function amountsOfNodes(sides: readonly Nodes[]): AmountDistribution {
  const distribution = new AmountDistribution();
  for (const nodes of sides) {
    for (let node = 0; node < nodes.count; node++)
      distribution.add(nodes.amount[node] as number, currencyOf(nodes, node), nodes.size(node));
  }
  return distribution;
}

/** The amounts of all lines whose texts were read, whether rules are applied to them or not. */
function amountsOfLines(sides: readonly SideTexts[]): AmountDistribution {
  const distribution = new AmountDistribution();
  for (const { lines, lineOf } of sides) {
    for (const line of lineOf)
      distribution.add(lines.amount[line] as number, lines.currency[line] as number, 1);
  }
  return distribution;
}

function currencyOf(nodes: Nodes, node: number): number {
  return nodes.lines.currency[nodes.line(node)] as number;
}

function binKey(amount: number, currency: number): number {
  return (
    currency * 4000 +
    (amount < 0 ? 2000 : 0) +
    Math.floor(Math.log(Math.max(1, Math.abs(amount))) * BINS_PER_NAT)
  );
}

/** By day level: −ln of the probability that two unrelated lines are that many days apart. */
export function dayRarityOf(left: Nodes, right: Nodes): Float64Array {
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
  // A few lines say little about the distribution, so 200 pairs, spread over 30 days, are added.
  return share.map((count) => -Math.log((count + 200 / 30) / (pairs + 200)));
}

function countDays(nodes: Nodes): Map<number, number> {
  const days = new Map<number, number>();
  for (let node = 0; node < nodes.count; node++)
    add(days, nodes.day[node] as number, nodes.size(node));
  return days;
}
