/**
 * A month of books against a bank, and the pairs of lines that both know: with slips, or alone on
 * one side.
 */

import type { DatasetLine } from "../dataset.ts";
import { Month } from "../month.ts";
import type { Random } from "../random.ts";
import { type Company, companies } from "./companies.ts";
import { mistypedAmount, mistypedNumber } from "./slips.ts";

type Side = Omit<DatasetLine, "identity" | "currency" | "amount_minor">;
/** What a side writes of one payment; `number` and `name` as it knows them. */
export type BookedItem = { amount: number; number: string; name: string };

export class Books {
  readonly month: Month;
  readonly random: Random;
  readonly partners: Company[];
  private readonly currency: string;
  private count = 0;

  constructor(name: string, random: Random, where: "us" | "eu", partners: number) {
    this.random = random;
    this.month = new Month(name, random);
    this.partners = companies(random, where, partners);
    this.currency = where === "us" ? "USD" : "EUR";
  }

  partner(): Company {
    // Few partners have most of the payments.
    return this.partners[Math.floor(this.partners.length * this.random.next() ** 2)] as Company;
  }

  /**
   * The next of all numbers: invoices of different companies never share one by being the same
   * count.
   */
  next(): number {
    this.count += this.random.between(1, 4);
    return this.count;
  }

  book(amount_minor: number, line: Side): string {
    return this.month.left({ ...line, amount_minor, currency: this.currency });
  }

  bank(amount_minor: number, line: Side): string {
    return this.month.right({ ...line, amount_minor, currency: this.currency });
  }

  /**
   * One payment on both sides. The bank's line may have slips: a mistyped amount or number, a
   * charge deducted on the way, another name. With two or more slips its kind is "slips together".
   */
  both(
    kind: string,
    company: Company,
    amount: number,
    number: string,
    book: (item: BookedItem) => Side,
    bank: (item: BookedItem) => Side,
  ): void {
    const { random } = this;
    const together = random.chance(0.05);
    const slip = (chance: number) => random.chance(together ? 0.55 : chance);
    const slips: string[] = [];
    const facts: BookedItem = { amount, number, name: company.name };
    const charge = slip(0.01) ? random.pick([1500, 2500, 2500, 3000, 4500]) : 0;
    if (charge > 0 && amount > 40 * charge) {
      facts.amount = amount - charge;
      slips.push("charge");
    } else if (slip(0.015)) {
      facts.amount = mistypedAmount(random, amount);
      if (facts.amount !== amount) slips.push("amount mistyped");
    }
    if (slip(0.04)) {
      facts.number = mistypedNumber(random, number);
      if (facts.number !== number) slips.push("number mistyped");
    }
    if (company.trade !== company.name && random.chance(together ? 1 : 0.6)) {
      facts.name = company.trade;
      slips.push("trade name");
    } else if (together) {
      facts.name = company.name.slice(0, random.between(7, 12));
      slips.push("name cut");
    }
    const left = this.book(amount, book({ amount, number, name: company.name }));
    const right = this.bank(facts.amount, bank(facts));
    this.month.truth(slips.length > 1 ? "slips together" : (slips[0] ?? kind), [left], [right]);
  }
}

/** Splits an amount into `count` parts of at least one cent. */
export function partsOf(random: Random, amount: number, count: number): number[] {
  const shares = Array.from({ length: count }, () => 0.2 + random.next());
  const total = shares.reduce((sum, share) => sum + share, 0);
  const parts = shares.map((share) => Math.max(1, Math.floor((amount * share) / total)));
  parts[0] = (parts[0] as number) + amount - parts.reduce((sum, part) => sum + part, 0);
  return parts;
}

/** Calls each entry's way as often as its share of `count` says, in an order that tells nothing. */
export function callInShares(
  random: Random,
  count: number,
  ways: readonly (readonly [number, () => void])[],
): void {
  const total = ways.reduce((sum, [share]) => sum + share, 0);
  const calls = ways.flatMap(([share, way]) =>
    Array.from({ length: Math.round((count * share) / total) }, () => way),
  );
  for (const call of random.shuffle(calls)) call();
}
