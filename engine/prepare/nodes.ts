import type { Lines } from "../lines.ts";
import type { Rule } from "../rules.ts";
import type { Side } from "../side.ts";
import { HashColumn } from "./hash.ts";
import { ruleKey } from "./key.ts";
import type { RunState } from "./run-state.ts";

/**
 * The open lines of a side to which a rule applies, in canonical order. Indistinguishable lines
 * form one node: it makes no difference which of them is matched, and a hundred thousand of them
 * cost as much as one.
 */
export class Nodes {
  readonly lines: Lines;
  readonly count: number;
  /** Members of node n are those from `start[n]` to before `start[n + 1]`. */
  readonly start: Int32Array;
  readonly member: Int32Array;
  readonly amount: Float64Array;
  readonly day: Int32Array;
  readonly key: HashColumn;
  /** By node: how many of its lines were taken. */
  private readonly taken: Int32Array;
  private sizes: Int32Array | null = null;

  constructor(
    state: RunState,
    side: Side,
    rule: Rule,
    dayNumber: (day: number) => number,
    isIncluded?: (amount: number, line: number) => boolean,
  ) {
    const lines = state[side];
    this.lines = lines;
    const open = state.open(side);
    this.start = new Int32Array(open.length + 1);
    this.member = new Int32Array(open.length);
    this.amount = new Float64Array(open.length);
    this.day = new Int32Array(open.length);
    this.key = new HashColumn(open.length);
    let count = 0;
    let members = 0;
    for (const line of open) {
      const amount = lines.amount[line] as number;
      if (isIncluded && !isIncluded(amount, line)) continue;
      const key = ruleKey(lines, line, rule.on ?? []);
      if (!key) continue;
      if (members === 0 || !state.areTwins(side, line, this.member[members - 1] as number)) {
        this.start[count] = members;
        this.amount[count] = amount;
        this.day[count] = dayNumber(lines.value_date[line] as number);
        this.key.set(count, key.finish());
        count += 1;
      }
      this.member[members++] = line;
    }
    this.start[count] = members;
    this.count = count;
    this.taken = new Int32Array(count);
  }

  /** The first line of a node, which represents it. */
  line(node: number): number {
    return this.member[this.start[node] as number] as number;
  }

  /** The nodes that pass a test, in order, grouped by amount. */
  byAmount(isIncluded: (node: number) => boolean): Map<number, number[]> {
    const nodes: number[] = [];
    for (let node = 0; node < this.count; node++) if (isIncluded(node)) nodes.push(node);
    return Map.groupBy(nodes, (node) => this.amount[node] as number);
  }

  size(node: number): number {
    return (this.start[node + 1] as number) - (this.start[node] as number);
  }

  /**
   * Whether a person rejected these two nodes as a match. A node of several lines never counts as
   * rejected, because a rejection only affects one of them.
   */
  isRejected(state: RunState, node: number, other: Nodes, otherNode: number): boolean {
    if (!state.hasRejections || this.size(node) > 1 || other.size(otherNode) > 1) return false;
    return this.lines.side === "left"
      ? state.isRejected([this.line(node)], [other.line(otherNode)])
      : state.isRejected([other.line(otherNode)], [this.line(node)]);
  }

  /** Takes the next line of a node. Each line is returned once. */
  take(node: number): number {
    const at = this.taken[node] as number;
    this.taken[node] = at + 1;
    return this.member[(this.start[node] as number) + at] as number;
  }

  /** The number of lines of each node. */
  capacities(): Int32Array {
    if (this.sizes) return this.sizes;
    this.sizes = new Int32Array(this.count);
    for (let node = 0; node < this.count; node++) this.sizes[node] = this.size(node);
    return this.sizes;
  }
}
