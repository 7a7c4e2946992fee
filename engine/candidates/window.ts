import { type AmountTolerance, reachOf, toleranceOf } from "../prepare/amounts.ts";
import type { Nodes } from "../prepare/nodes.ts";
import type { Rule } from "../rules.ts";

/** A window: how many days before and after a line its counterpart may be dated. */
export type Days = { before: number; after: number };

export function daysAround(rule: Rule): Days {
  return { before: rule.days_before ?? 0, after: rule.days_after ?? 0 };
}

/**
 * When a window follows sure matches, it may be extended to twice the rule's days, but to no more
 * than this number of days.
 */
const MAX_EXTENDED_DAYS = 31;

export function widestWindow({ before, after }: Days): Days {
  const extend = (days: number) => Math.max(days, Math.min(2 * days, MAX_EXTENDED_DAYS));
  return { before: extend(before), after: extend(after) };
}

/** The smallest window that contains both. */
export function unionOf(days: Days, other: Days): Days {
  return { before: Math.max(days.before, other.before), after: Math.max(days.after, other.after) };
}

/** The largest window that both contain. */
export function intersectionOf(days: Days, other: Days): Days {
  return { before: Math.min(days.before, other.before), after: Math.min(days.after, other.after) };
}

type Range = { from: number; to: number };

/**
 * Finds the nodes of one side that have the same key as a node of the other side, an amount within
 * the tolerance and a day within the window. If more amounts are within the tolerance than a search
 * may examine, it examines the nearest.
 */
export class Window {
  /** The nodes that the last search found, `count` of them. */
  readonly found: Int32Array;
  count = 0;
  /** Whether the last search left out amounts that are farther away. */
  isTruncated = false;
  private readonly tolerance: AmountTolerance;
  /** The days searched: the rule's, unless others are set. */
  days: Days;
  private readonly maxExamined: number;
  private readonly ranges = new Map<number, Range>();
  /** The nodes sorted by key, amount and day, with their amounts and days. */
  private readonly sorted: Int32Array;
  private readonly amount: Float64Array;
  private readonly day: Int32Array;

  /** @param maxExamined the maximum number of nodes that a search examines. */
  constructor(nodes: Nodes, rule: Rule, maxExamined: number) {
    this.tolerance = toleranceOf(rule);
    this.days = daysAround(rule);
    this.maxExamined = maxExamined;
    this.found = new Int32Array(maxExamined);
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

  /** Finds the counterparts of a node of the other side. */
  search(seekers: Nodes, node: number): void {
    this.count = 0;
    this.isTruncated = false;
    const range = this.ranges.get(seekers.key.key(node));
    if (!range) return;
    const amount = seekers.amount[node] as number;
    const day = seekers.day[node] as number;
    const { low, high } = reachOf(this.tolerance, amount);
    let from = this.firstFrom(range, low, -Infinity);
    let to = this.firstFrom(range, high, Infinity);
    if (to - from > this.maxExamined) {
      this.isTruncated = true;
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

  /** The nearest positions to an amount and a day, as many as a search may examine. */
  private nearest({ from, to }: Range, amount: number, day: number): Range {
    const middle = this.firstFrom({ from, to }, amount, day);
    // Bisects how many of them are above: one more while the next amount above is no farther away
    // than the last one below.
    let low = Math.max(0, this.maxExamined - (middle - from));
    let high = Math.min(this.maxExamined, to - middle);
    while (low < high) {
      const above = (low + high) >>> 1;
      const next = (this.amount[middle + above] as number) - amount;
      const last = amount - (this.amount[middle - (this.maxExamined - above)] as number);
      if (next <= last) low = above + 1;
      else high = above;
    }
    return { from: middle - (this.maxExamined - low), to: middle + low };
  }

  /** The first position whose amount, or day among equal amounts, is not smaller. */
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
 * Sorts nodes by key, then amount, then day. Nodes are numbered in canonical order, which begins
 * with the day, so ordering equal amounts by number orders them by day.
 */
function byKeyAndAmount({ key, amount, count }: Nodes): Int32Array {
  // A plain array, because its sort takes advantage of runs that are in order, here one per day.
  const byAmount: number[] = new Array(count);
  for (let node = 0; node < count; node++) byAmount[node] = node;
  byAmount.sort((a, b) => (amount[a] as number) - (amount[b] as number) || a - b);
  const keyNumbers = new Map<number, number>();
  const numberOf = new Int32Array(count);
  for (let node = 0; node < count; node++) {
    // Neighboring nodes usually have the same key.
    if (node > 0 && key.equal(node, key, node - 1)) {
      numberOf[node] = numberOf[node - 1] as number;
      continue;
    }
    const hash = key.key(node);
    const number = keyNumbers.get(hash) ?? keyNumbers.size;
    keyNumbers.set(hash, number);
    numberOf[node] = number;
  }
  const next = new Int32Array(keyNumbers.size + 1);
  for (const number of numberOf) next[number + 1] = (next[number + 1] as number) + 1;
  for (let number = 0; number < keyNumbers.size; number++)
    next[number + 1] = (next[number + 1] as number) + (next[number] as number);
  const sorted = new Int32Array(count);
  for (const node of byAmount) {
    const number = numberOf[node] as number;
    sorted[next[number] as number] = node;
    next[number] = (next[number] as number) + 1;
  }
  return sorted;
}
