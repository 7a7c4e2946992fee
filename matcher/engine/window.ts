import { type AmountTolerance, isWithin, toleranceOf } from "./amounts.ts";
import type { Nodes } from "./nodes.ts";
import type { Rule } from "./rules.ts";

export type Days = { before: number; after: number };

export function daysAround(rule: Rule): Days {
  return { before: rule.days_before ?? 0, after: rule.days_after ?? 0 };
}

/**
 * The nodes of one side in reach of a node of the other: same key, amount within the tolerance, day within the window. Found by
 * walking outward from the node's amount and day, nearest amounts first, so that a crowd is cut off where it is farthest.
 */
export class Window {
  /** What the last search found, nearest amounts first. */
  readonly found: Int32Array;
  count = 0;
  /** The last search ended at its bound: there are more. */
  crowded = false;
  private readonly nodes: Nodes;
  private readonly tolerance: AmountTolerance;
  private readonly days: Days;
  private readonly sorted: Int32Array;
  private readonly ranges = new Map<number, { from: number; to: number }>();
  private readonly steps: number;

  /** @param steps how many nodes a search may look at. */
  constructor(nodes: Nodes, rule: Rule, steps: number) {
    this.nodes = nodes;
    this.tolerance = toleranceOf(rule);
    this.days = daysAround(rule);
    this.steps = steps;
    this.found = new Int32Array(steps);
    const { key, amount, day } = nodes;
    this.sorted = Int32Array.from({ length: nodes.count }, (_, node) => node).sort(
      (a, b) => key.compare(a, b) || (amount[a] as number) - (amount[b] as number) || (day[a] as number) - (day[b] as number) || a - b,
    );
    let from = 0;
    for (let at = 1; at <= nodes.count; at++) {
      if (at < nodes.count && key.equal(this.sorted[at] as number, key, this.sorted[from] as number)) continue;
      if (nodes.count > 0) this.ranges.set(key.key(this.sorted[from] as number), { from, to: at });
      from = at;
    }
  }

  /** @param after whether `other` is the left side of the rule, so that its counterparts come `days.after` later. */
  search(other: Nodes, node: number, after = true): void {
    this.count = 0;
    this.crowded = false;
    const range = this.ranges.get(other.key.key(node));
    if (!range) return;
    const amount = other.amount[node] as number;
    const day = other.day[node] as number;
    const earliest = day - (after ? this.days.before : this.days.after);
    const latest = day + (after ? this.days.after : this.days.before);
    let up = this.firstFrom(range, amount, day);
    let down = up - 1;
    for (let steps = 0; ; steps++) {
      const above = up < range.to ? (this.nodes.amount[this.sorted[up] as number] as number) : Infinity;
      const below = down >= range.from ? (this.nodes.amount[this.sorted[down] as number] as number) : -Infinity;
      const upward = above - amount <= amount - below;
      const nearest = upward ? above : below;
      if (!Number.isFinite(nearest)) return;
      if (!isWithin(this.tolerance, amount, nearest)) {
        // The other direction may reach farther: the tolerance grows with the larger amount.
        if (upward) up = range.to;
        else down = range.from - 1;
        continue;
      }
      if (steps >= this.steps) {
        this.crowded = true;
        return;
      }
      const candidate = this.sorted[upward ? up++ : down--] as number;
      const at = this.nodes.day[candidate] as number;
      if (at >= earliest && at <= latest) this.found[this.count++] = candidate;
    }
  }

  /** The first place from which on amounts, and among equal ones days, are no smaller. */
  private firstFrom({ from, to }: { from: number; to: number }, amount: number, day: number): number {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const node = this.sorted[middle] as number;
      const order = (this.nodes.amount[node] as number) - amount || (this.nodes.day[node] as number) - day;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
