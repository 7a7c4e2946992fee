/** Filters the lines that may be part of a target's sum, and groups them by day or by field. */
import type { Lines } from "../lines.ts";
import { grouped } from "./grouped.ts";

/** The maximum discount that terms of payment grant, as a share of the amount. */
const MAX_DISCOUNT = 0.05;

type TextField = "counterparty" | "reference" | "description";

export class SumParts {
  private readonly own: Lines;
  private readonly other: Lines;

  constructor(own: Lines, other: Lines) {
    this.own = own;
    this.other = other;
  }

  /** The lines that may be part of the target: of the same sign, and smaller. */
  summands(target: number, lines: number[]): number[] {
    const amount = this.own.amount[target] as number;
    return lines.filter((line) => {
      const part = this.other.amount[line] as number;
      return part !== 0 && part > 0 === amount > 0 && Math.abs(part) < Math.abs(amount);
    });
  }

  /** Like `summands`, but the lines may exceed the target by a discount. */
  payable(target: number, lines: number[]): number[] {
    const amount = this.own.amount[target] as number;
    const max = Math.abs(amount) / (1 - MAX_DISCOUNT) + 1;
    return lines.filter((line) => {
      const part = this.other.amount[line] as number;
      return part !== 0 && part > 0 === amount > 0 && Math.abs(part) <= max;
    });
  }

  /** Like `summands`, but with larger lines and with credits, which have the opposite sign. */
  withCredits(target: number, lines: number[]): number[] {
    const amount = this.own.amount[target] as number;
    return lines.filter((line) => {
      const part = this.other.amount[line] as number;
      return part !== 0 && (part > 0 !== amount > 0 || Math.abs(part) !== Math.abs(amount));
    });
  }

  byDays(lines: number[]): number[][] {
    return grouped(lines, (line) => this.other.value_date[line] as number);
  }

  /** Groups of lines with one counterparty, with one reference, and with one description. */
  byField(
    lines: number[],
    fields: readonly TextField[] = ["counterparty", "reference", "description"],
  ): number[][] {
    return fields.flatMap((field) => {
      const hashes = this.other.hashes[field];
      return grouped(lines, (line) => (hashes.has(line) ? hashes.key(line) : null));
    });
  }
}
