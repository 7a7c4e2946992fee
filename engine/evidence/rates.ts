/**
 * Shares of the amount by which matches of one pair of sources differ repeatedly, to the cent: a
 * tip of 20 %, a cash discount of 2 %, a tax withheld. Each is known by its rate, whatever the
 * amount.
 */

import type { Side } from "../side.ts";
import type { UsualDifference } from "./differences.ts";

/** Rates are in quarters of a percent: this number of them is the whole amount. */
const PARTS = 400;
/** Up to a half of what they are taken of, more or less. */
const MAX_PARTS = PARTS / 2;
/** Below this amount, in minor units, several rates give the same difference. */
const MIN_AMOUNT = 2 * PARTS;
/** Among this many sets of lines, one may have a rate that is usual by chance. */
const SETS = 100;
/** Rates that are near, in parts, on either side. */
const NEAR = 8;
const RATES = 2 * MAX_PARTS + 1;

/**
 * What a usual rate says of two amounts: `parts` of a whole of 400, of the left amount or of the
 * right one.
 */
export type UsualRate = UsualDifference & { parts: number; of: Side };

const BASES = ["left", "right"] as const;

export class Rates {
  /**
   * By base and rate: lines with a partner that differs by just this rate, and how many pairs would
   * by chance.
   */
  private readonly witnesses = new Map<number, { lefts: Set<number>; rights: Set<number> }>();
  private readonly byChance = new Float64Array(2 * RATES);

  /**
   * Adds two amounts that may be a match: unrelated ones differ by one rate as often as by another.
   * @param leftNode, rightNode the nodes of the amounts: of many pairs of few lines only that many
   * can be matches
   */
  add(left: number, right: number, leftNode: number, rightNode: number): void {
    for (const [base, of] of BASES.entries()) {
      const [whole, other] = of === "left" ? [left, right] : [right, left];
      const parts = partsOf(whole, other);
      if (parts === 0) continue;
      const at = base * RATES + MAX_PARTS + parts;
      if (isExact(whole, other, parts)) {
        const seen = this.witnesses.get(at) ?? { lefts: new Set(), rights: new Set() };
        this.witnesses.set(at, seen);
        seen.lefts.add(leftNode);
        seen.rights.add(rightNode);
      }
      this.byChance[at] =
        (this.byChance[at] as number) +
        Math.min(1, (PARTS * grainOf(whole, other)) / Math.abs(whole));
    }
  }

  clear(): void {
    this.witnesses.clear();
    this.byChance.fill(0);
  }

  /** @param matches of the same lines. A match is no witness for itself: one is taken off. */
  usual(matches: number): UsualRates {
    const usual = new Map<number, UsualDifference>();
    for (const [at, { lefts, rights }] of this.witnesses) {
      const count = Math.min(lefts.size, rights.size);
      if (count < 2) continue;
      const from = Math.max(at - NEAR, Math.floor(at / RATES) * RATES);
      const to = Math.min(at + NEAR + 1, (Math.floor(at / RATES) + 1) * RATES);
      let chance = 0;
      for (let near = from; near < to; near++)
        chance += (this.byChance[near] as number) / (to - from);
      const others = count - 1 - chance;
      if (others > 0 && tailNats(count, chance) < -Math.log(SETS * this.byChance.length))
        usual.set(at, { nats: Math.min(0, Math.log(others / matches)), others });
    }
    return new UsualRates(usual);
  }
}

export class UsualRates {
  private readonly usual: ReadonlyMap<number, UsualDifference>;
  /** By base and rate; −Infinity of those that are not usual. Every pair that is weighed asks. */
  private readonly nats = new Float64Array(2 * RATES).fill(-Infinity);

  constructor(usual: ReadonlyMap<number, UsualDifference> = new Map()) {
    this.usual = usual;
    for (const [at, { nats }] of usual) this.nats[at] = nats;
  }

  /**
   * ln of the share of matches that differ by the rate that these do; −Infinity where it is not
   * usual.
   */
  natsOf(left: number, right: number): number {
    if (this.usual.size === 0) return -Infinity;
    return Math.max(
      this.nats[this.placeOf(0, left, right)] as number,
      this.nats[this.placeOf(1, right, left)] as number,
    );
  }

  /** The most usual rate that two amounts differ by, or null. */
  of(left: number, right: number): UsualRate | null {
    const nats = this.natsOf(left, right);
    if (nats === -Infinity) return null;
    const own = this.placeOf(0, left, right);
    const at = this.nats[own] === nats ? own : this.placeOf(1, right, left);
    return {
      ...(this.usual.get(at) as UsualDifference),
      parts: (at % RATES) - MAX_PARTS,
      of: at < RATES ? "left" : "right",
    };
  }

  /**
   * The place of no difference, which is never usual, stands for amounts without a common rate or
   * with an approximate one.
   */
  private placeOf(base: number, whole: number, other: number): number {
    const place = base * RATES + MAX_PARTS;
    const parts = partsOf(whole, other);
    const isUsual = this.nats[place + parts] !== -Infinity && isExact(whole, other, parts);
    return isUsual ? place + parts : place;
  }
}

/**
 * By how many parts of it an amount differs from another, about: 0 where that is none, too much, or
 * the amount too small to say.
 */
function partsOf(whole: number, other: number): number {
  if (Math.abs(whole) < MIN_AMOUNT || whole > 0 !== other > 0) return 0;
  const parts = Math.round(((other - whole) / whole) * PARTS);
  return Math.abs(parts) > MAX_PARTS ? 0 : parts;
}

/** The upper bound of ln P(X ≥ count), for a Poisson variable with the mean `expected`. */
function tailNats(count: number, expected: number): number {
  let nats = count * Math.log(expected) - expected - Math.log(1 - expected / (count + 1));
  for (let factor = 2; factor <= count; factor++) nats -= Math.log(factor);
  return nats;
}

/** The largest power of ten that both are multiples of: round amounts differ by round rates. */
function grainOf(a: number, b: number): number {
  let grain = 1;
  while (a % (10 * grain) === 0 && b % (10 * grain) === 0) grain *= 10;
  return grain;
}

function isExact(whole: number, other: number, parts: number): boolean {
  return Math.abs(other - whole - (whole * parts) / PARTS) <= 0.5;
}
