import { type AmountTolerance, reachOf, toleranceOf } from "./amounts.ts";
import type { Nodes } from "./nodes.ts";
import type { Rule } from "./rules.ts";

export type Days = { before: number; after: number };

export function daysAround(rule: Rule): Days {
  return { before: rule.days_before ?? 0, after: rule.days_after ?? 0 };
}

type Range = { from: number; to: number };

/**
 * The nodes of one side in reach of a node of the other: same key, amount within the tolerance, day within the window. Where more
 * are in reach of the amount than a search may look at, it looks at the nearest.
 */
export class Window {
  /** What the last search found. */
  readonly found: Int32Array;
  count = 0;
  /** The last search ended at its bound: there are more. */
  crowded = false;
  private readonly tolerance: AmountTolerance;
  private readonly days: Days;
  private readonly steps: number;
  private readonly ranges = new Map<number, Range>();
  /** Nodes by key, amount and day, with their amounts and days beside. */
  private readonly sorted: Int32Array;
  private readonly amount: Float64Array;
  private readonly day: Int32Array;

  /** @param steps how many nodes a search may look at. */
  constructor(nodes: Nodes, rule: Rule, steps: number) {
    this.tolerance = toleranceOf(rule);
    this.days = daysAround(rule);
    this.steps = steps;
    this.found = new Int32Array(steps);
    const { key, amount, day } = nodes;
    this.sorted = Int32Array.from({ length: nodes.count }, (_, node) => node).sort(
      (a, b) => key.compare(a, b) || (amount[a] as number) - (amount[b] as number) || (day[a] as number) - (day[b] as number) || a - b,
    );
    this.amount = Float64Array.from(this.sorted, (node) => amount[node] as number);
    this.day = Int32Array.from(this.sorted, (node) => day[node] as number);
    let from = 0;
    for (let at = 1; at <= nodes.count; at++) {
      if (at < nodes.count && key.equal(this.sorted[at] as number, key, this.sorted[from] as number)) continue;
      this.ranges.set(key.key(this.sorted[from] as number), { from, to: at });
      from = at;
    }
  }

  /** Finds the counterparts of a node of the rule's left side. */
  search(left: Nodes, node: number): void {
    this.count = 0;
    this.crowded = false;
    const range = this.ranges.get(left.key.key(node));
    if (!range) return;
    const amount = left.amount[node] as number;
    const day = left.day[node] as number;
    const { low, high } = reachOf(this.tolerance, amount);
    let from = this.firstFrom(range, low, -Infinity);
    let to = this.firstFrom(range, high, Infinity);
    if (to - from > this.steps) {
      this.crowded = true;
      ({ from, to } = this.nearest({ from, to }, amount, day));
    }
    const earliest = day - this.days.before;
    const latest = day + this.days.after;
    let count = 0;
    for (let at = from; at < to; at++) {
      const on = this.day[at] as number;
      if (on >= earliest && on <= latest) this.found[count++] = this.sorted[at] as number;
    }
    this.count = count;
  }

  /** So many places around an amount and a day as a search may look at. */
  private nearest({ from, to }: Range, amount: number, day: number): Range {
    let up = Math.min(to, Math.max(from, this.firstFrom({ from, to }, amount, day)));
    let down = up;
    while (up - down < this.steps) {
      const above = up < to ? (this.amount[up] as number) - amount : Infinity;
      const below = down > from ? amount - (this.amount[down - 1] as number) : Infinity;
      if (above <= below) up += 1;
      else down -= 1;
    }
    return { from: down, to: up };
  }

  /** The first place from which on amounts, and among equal ones days, are no smaller. */
  private firstFrom({ from, to }: Range, amount: number, day: number): number {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = (this.amount[middle] as number) - amount || (this.day[middle] as number) - day;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
