import { type AmountTolerance, reachOf, toleranceOf } from "../prepare/amounts.ts";
import type { Nodes } from "../prepare/nodes.ts";
import type { Rule } from "../rules.ts";

export type Days = { before: number; after: number };

export function daysAround(rule: Rule): Days {
  return { before: rule.days_before ?? 0, after: rule.days_after ?? 0 };
}

/**
 * How far a window may follow a pair's sure matches: twice as far as the rule allows, and at most a
 * month.
 */
const FARTHEST_DAYS = 31;

export function widest({ before, after }: Days): Days {
  const reach = (days: number) => Math.max(days, Math.min(2 * days, FARTHEST_DAYS));
  return { before: reach(before), after: reach(after) };
}

/** As far as `days`, and where `other` reaches farther, as far as that. */
export function unionOf(days: Days, other: Days): Days {
  return { before: Math.max(days.before, other.before), after: Math.max(days.after, other.after) };
}

/** As far as both reach. */
export function intersectionOf(days: Days, bound: Days): Days {
  return { before: Math.min(days.before, bound.before), after: Math.min(days.after, bound.after) };
}

type Range = { from: number; to: number };

/**
 * The nodes of one side within reach of a node of the other: same key, amount within the tolerance,
 * day within the window. If more amounts are within reach than a search may examine, it examines
 * the nearest.
 */
export class Window {
  /** What the last search found. */
  readonly found: Int32Array;
  count = 0;
  /** The last search ended at its bound: there are more. */
  crowded = false;
  private readonly tolerance: AmountTolerance;
  /** The rule's, until others are set. */
  days: Days;
  private readonly steps: number;
  private readonly ranges = new Map<number, Range>();
  /** Nodes by key, amount and day, with their amounts and days. */
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
    this.sorted = byKeyAndAmount(nodes);
    this.amount = new Float64Array(nodes.count);
    this.day = new Int32Array(nodes.count);
    for (let at = 0; at < nodes.count; at++) {
      this.amount[at] = amount[this.sorted[at] as number] as number;
      this.day[at] = day[this.sorted[at] as number] as number;
    }
    let from = 0;
    for (let at = 1; at <= nodes.count; at++) {
      if (
        at < nodes.count &&
        key.equal(this.sorted[at] as number, key, this.sorted[from] as number)
      )
        continue;
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

  /** As many positions around an amount and a day as a search may examine. */
  private nearest({ from, to }: Range, amount: number, day: number): Range {
    const middle = this.firstFrom({ from, to }, amount, day);
    // How many of them are above: as long as the next above is no farther than the last below.
    let low = Math.max(0, this.steps - (middle - from));
    let high = Math.min(this.steps, to - middle);
    while (low < high) {
      const above = (low + high) >>> 1;
      const next = (this.amount[middle + above] as number) - amount;
      const last = amount - (this.amount[middle - (this.steps - above)] as number);
      if (next <= last) low = above + 1;
      else high = above;
    }
    return { from: middle - (this.steps - low), to: middle + low };
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

/**
 * Nodes by key, then amount, then day: they are in canonical order, which begins with the day, and
 * equals stay in it.
 */
function byKeyAndAmount({ key, amount, count }: Nodes): Int32Array {
  // A plain array: its sort takes advantage of the stretches that are in order, a day's each.
  const byAmount: number[] = new Array(count);
  for (let node = 0; node < count; node++) byAmount[node] = node;
  byAmount.sort((a, b) => (amount[a] as number) - (amount[b] as number) || a - b);
  const numbers = new Map<number, number>();
  const keyOf = new Int32Array(count);
  for (let node = 0; node < count; node++) {
    // Neighbours mostly have the same.
    if (node > 0 && key.equal(node, key, node - 1)) {
      keyOf[node] = keyOf[node - 1] as number;
      continue;
    }
    const own = key.key(node);
    const number = numbers.get(own) ?? numbers.size;
    numbers.set(own, number);
    keyOf[node] = number;
  }
  const next = new Int32Array(numbers.size + 1);
  for (const number of keyOf) next[number + 1] = (next[number + 1] as number) + 1;
  for (let number = 0; number < numbers.size; number++)
    next[number + 1] = (next[number + 1] as number) + (next[number] as number);
  const sorted = new Int32Array(count);
  for (const node of byAmount) {
    const number = keyOf[node] as number;
    sorted[next[number] as number] = node;
    next[number] = (next[number] as number) + 1;
  }
  return sorted;
}
