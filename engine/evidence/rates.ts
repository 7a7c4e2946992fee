/**
 * Finds rates by which amounts of matches of one pair of sources differ repeatedly, to the cent: a
 * tip of 20 %, a cash discount of 2 %, a withholding tax. Each has the same rate for all amounts.
 */

import type { Side } from "../side.ts";
import type { UsualDifference } from "./differences.ts";

/** Rates are in parts of a quarter percent: this number of parts is the whole amount. */
const PARTS = 400;
/** The maximum rate, up or down, is half of the base amount. */
const MAX_PARTS = PARTS / 2;
/** Below this amount, in minor units, several rates give the same difference. */
const MIN_AMOUNT = 2 * PARTS;
/** In one of this many pools, a rate may be found usual by chance. */
const POOLS_PER_CHANCE_RATE = 100;
/** How many parts on either side of a rate are averaged to estimate pairs by chance. */
const NEARBY_PARTS = 8;
/** The number of rates for each base. */
const RATES = 2 * MAX_PARTS + 1;

/**
 * A usual rate by which two amounts differ: `parts` quarters of a percent of the base, which is the
 * left or the right amount.
 */
export type UsualRate = UsualDifference & { parts: number; base: Side };

const BASES = ["left", "right"] as const;

export class Rates {
  /**
   * By base and rate: the nodes with a counterpart that differs by exactly this rate, and how many
   * pairs are expected to by chance.
   */
  private readonly nodesByRate = new Map<number, { lefts: Set<number>; rights: Set<number> }>();
  private readonly byChance = new Float64Array(2 * RATES);

  /**
   * Adds two amounts that may be a match. Unrelated amounts differ by all rates equally often.
   * @param leftNode, rightNode the nodes of the amounts. They are counted once per rate, because
   * many pairs of few lines can't all be matches.
   */
  add(left: number, right: number, leftNode: number, rightNode: number): void {
    for (const [base, side] of BASES.entries()) {
      const [whole, other] = side === "left" ? [left, right] : [right, left];
      const parts = partsOf(whole, other);
      if (parts === 0) continue;
      const at = base * RATES + MAX_PARTS + parts;
      if (isExact(whole, other, parts)) {
        const seen = this.nodesByRate.get(at) ?? { lefts: new Set(), rights: new Set() };
        this.nodesByRate.set(at, seen);
        seen.lefts.add(leftNode);
        seen.rights.add(rightNode);
      }
      this.byChance[at] =
        (this.byChance[at] as number) +
        Math.min(1, (PARTS * grainOf(whole, other)) / Math.abs(whole));
    }
  }

  clear(): void {
    this.nodesByRate.clear();
    this.byChance.fill(0);
  }

  /**
   * @param matches their number. One is taken off each count: a match is no evidence for itself.
   */
  usual(matches: number): UsualRates {
    const usual = new Map<number, UsualDifference>();
    for (const [at, { lefts, rights }] of this.nodesByRate) {
      const count = Math.min(lefts.size, rights.size);
      if (count < 2) continue;
      const from = Math.max(at - NEARBY_PARTS, Math.floor(at / RATES) * RATES);
      const to = Math.min(at + NEARBY_PARTS + 1, (Math.floor(at / RATES) + 1) * RATES);
      let chance = 0;
      for (let near = from; near < to; near++)
        chance += (this.byChance[near] as number) / (to - from);
      const others = count - 1 - chance;
      if (
        others > 0 &&
        tailNats(count, chance) < -Math.log(POOLS_PER_CHANCE_RATE * this.byChance.length)
      )
        usual.set(at, { nats: Math.min(0, Math.log(others / matches)), others });
    }
    return new UsualRates(usual);
  }
}

/** A usual rate as it is stored: its index, `nats` and `others`. */
export type StoredRate = [number, number, number];

export class UsualRates {
  private readonly usual: ReadonlyMap<number, UsualDifference>;
  /** By base and rate; −Infinity if not usual. An array, because it is read for every pair. */
  private readonly nats = new Float64Array(2 * RATES).fill(-Infinity);

  constructor(usual: ReadonlyMap<number, UsualDifference> = new Map()) {
    this.usual = usual;
    for (const [at, { nats }] of usual) this.nats[at] = nats;
  }

  static fromList(list: readonly StoredRate[]): UsualRates {
    return new UsualRates(new Map(list.map(([at, nats, others]) => [at, { nats, others }])));
  }

  toList(): StoredRate[] {
    return Array.from(this.usual, ([at, { nats, others }]) => [at, nats, others]);
  }

  /**
   * ln of the share of matches that differ by the same rate as these amounts; −Infinity if the rate
   * isn't usual.
   */
  natsOf(left: number, right: number): number {
    if (this.usual.size === 0) return -Infinity;
    return Math.max(
      this.nats[this.rateIndexOf(0, left, right)] as number,
      this.nats[this.rateIndexOf(1, right, left)] as number,
    );
  }

  /** The most frequent usual rate by which two amounts differ, or null. */
  of(left: number, right: number): UsualRate | null {
    const nats = this.natsOf(left, right);
    if (nats === -Infinity) return null;
    const leftIndex = this.rateIndexOf(0, left, right);
    const at = this.nats[leftIndex] === nats ? leftIndex : this.rateIndexOf(1, right, left);
    return {
      ...(this.usual.get(at) as UsualDifference),
      parts: (at % RATES) - MAX_PARTS,
      base: at < RATES ? "left" : "right",
    };
  }

  /**
   * The index in `nats` of the rate by which two amounts differ. If it is not usual or not exact,
   * the index of no difference is returned, which is never usual.
   */
  private rateIndexOf(base: number, whole: number, other: number): number {
    const zeroIndex = base * RATES + MAX_PARTS;
    const parts = partsOf(whole, other);
    const isUsual = this.nats[zeroIndex + parts] !== -Infinity && isExact(whole, other, parts);
    return isUsual ? zeroIndex + parts : zeroIndex;
  }
}

/**
 * The rounded number of parts by which the other amount differs from the whole. 0 if they don't
 * differ, differ by more than MAX_PARTS, or the amount is too small.
 */
function partsOf(whole: number, other: number): number {
  if (Math.abs(whole) < MIN_AMOUNT || whole > 0 !== other > 0) return 0;
  const parts = Math.round(((other - whole) / whole) * PARTS);
  return Math.abs(parts) > MAX_PARTS ? 0 : parts;
}

/** An upper bound of ln P(X ≥ count) for a Poisson variable with the mean `expected`. */
function tailNats(count: number, expected: number): number {
  let nats = count * Math.log(expected) - expected - Math.log(1 - expected / (count + 1));
  for (let factor = 2; factor <= count; factor++) nats -= Math.log(factor);
  return nats;
}

/** The largest power of ten that divides both amounts: round amounts differ by round rates. */
function grainOf(a: number, b: number): number {
  let grain = 1;
  while (a % (10 * grain) === 0 && b % (10 * grain) === 0) grain *= 10;
  return grain;
}

function isExact(whole: number, other: number, parts: number): boolean {
  return Math.abs(other - whole - (whole * parts) / PARTS) <= 0.5;
}
