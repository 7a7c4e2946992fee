/**
 * A month as it is written down on two sides: the days on which banks work, and lines added with
 * their truth.
 */

import type { Dataset, DatasetLine, TrueMatch } from "./dataset.ts";
import type { Random } from "./random.ts";

/** 2026-03-01, a Sunday, as days since 1970-01-01. */
export const FIRST_DAY = 20513;
export const DAYS = 31;

export class Month {
  readonly dataset: Dataset;
  readonly random: Random;
  private readonly holidays: Set<number>;
  private next = 1;

  constructor(name: string, random: Random) {
    this.random = random;
    this.dataset = { name, left: [], right: [], truth: [] };
    this.holidays = new Set([FIRST_DAY + random.between(3, 27), FIRST_DAY + random.between(3, 27)]);
  }

  day(): number {
    return FIRST_DAY + this.random.between(0, DAYS - 1);
  }

  /** The first day from here on that banks work. */
  bankDay(from: number): number {
    let day = from;
    while (day % 7 === 2 || day % 7 === 3 || this.holidays.has(day)) day += 1;
    return day;
  }

  /** The day that is a number of bank days later. */
  later(from: number, bankDays: number): number {
    let day = this.bankDay(from);
    for (let left = bankDays; left > 0; left--) day = this.bankDay(day + 1);
    return day;
  }

  left(line: Omit<DatasetLine, "identity" | "currency"> & { currency?: string }): string {
    return this.add("left", line);
  }

  right(line: Omit<DatasetLine, "identity" | "currency"> & { currency?: string }): string {
    return this.add("right", line);
  }

  truth(kind: string, left: string[], right: string[]): void {
    this.dataset.truth.push({ kind, left, right } satisfies TrueMatch);
  }

  /** The lines as they come: in no order that tells anything. */
  shuffled(): Dataset {
    this.random.shuffle(this.dataset.left);
    this.random.shuffle(this.dataset.right);
    return this.dataset;
  }

  private add(
    side: "left" | "right",
    line: Omit<DatasetLine, "identity" | "currency"> & { currency?: string },
  ): string {
    // An identity that says nothing of which lines belong together.
    const identity = `${side[0]}${Math.floor(this.random.next() * 2 ** 40).toString(36)}${this.next++}`;
    this.dataset[side].push({ currency: "EUR", ...line, identity });
    return identity;
  }
}

/** Amounts as they occur: small ones more often, and some round. */
export function randomAmount(random: Random, low: number, high: number): number {
  const amount = Math.round(low * Math.exp(random.next() * Math.log(high / low)));
  if (random.chance(0.08)) return Math.max(1000, Math.round(amount / 1000) * 1000);
  if (random.chance(0.12)) return Math.max(100, Math.round(amount / 100) * 100);
  return amount;
}
