/**
 * Matches lines that agree in amount, currency and the rule's fields, if no other line of either
 * side agrees with them: a hash join, in time and memory proportional to the number of lines.
 */

import type { Lines } from "../lines.ts";
import { BASIS, HELD } from "../matches.ts";
import { type BusinessDays, daysOf } from "../prepare/days.ts";
import { HashColumn } from "../prepare/hash.ts";
import { ruleKey } from "../prepare/key.ts";
import { compareLines } from "../prepare/order.ts";
import type { RunState } from "../prepare/run-state.ts";
import type { Progress } from "../progress.ts";
import type { Rule } from "../rules.ts";
import type { Side } from "../side.ts";

const NONE = -1;
const SLICE = 100_000;

export function* exact(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  businessDays: BusinessDays,
): Generator<Progress> {
  const total = state.left.length + state.right.length;
  const table = new JoinTable(state.openCount("left"));
  const hasWindow = rule.days_before !== undefined || rule.days_after !== undefined;
  const dayNumber = daysOf(rule, businessDays);
  for (let from = 0; from < state.left.length; from += SLICE) {
    table.put(state, "left", rule, from, Math.min(from + SLICE, state.left.length));
    yield { stage: rule.name, done: from, total };
  }
  for (let from = 0; from < state.right.length; from += SLICE) {
    table.put(state, "right", rule, from, Math.min(from + SLICE, state.right.length));
    yield { stage: rule.name, done: state.left.length + from, total };
  }
  for (let slot = 0; slot < table.slots; slot++) {
    if (slot % SLICE === 0) yield { stage: rule.name, done: total, total };
    if (table.head.left[slot] === NONE || table.head.right[slot] === NONE) continue;
    const left = table.linesOf("left", slot);
    const right = table.linesOf("right", slot);
    if (hasWindow && !areWithinDays(state, rule, dayNumber, left, right)) continue;
    if (left.length === 1 && right.length === 1)
      decidePair(state, rule, ruleIndex, left, right, BASIS.unique);
    else pairTwins(state, rule, ruleIndex, left, right);
  }
}

/**
 * Pairs indistinguishable lines in order. If anything distinguishes them, a later rule may decide
 * better.
 */
function pairTwins(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  left: number[],
  right: number[],
): void {
  left.sort((one, other) => compareLines(state.left, one, other));
  right.sort((one, other) => compareLines(state.right, one, other));
  if (!left.every((line) => state.areTwins("left", line, left[0] as number))) return;
  if (!right.every((line) => state.areTwins("right", line, right[0] as number))) return;
  for (let at = 0; at < left.length && at < right.length; at++) {
    decidePair(state, rule, ruleIndex, [left[at] as number], [right[at] as number], BASIS.in_order);
  }
}

function decidePair(
  state: RunState,
  rule: Rule,
  ruleIndex: number,
  left: number[],
  right: number[],
  basis: 0 | 1,
): void {
  if (state.isRejected(left, right)) return;
  const held = rule.then === "match" ? HELD.no : HELD.rule;
  state.decide(ruleIndex, left, right, { basis, held, score: 1, margin: Infinity });
}

function areWithinDays(
  state: RunState,
  rule: Rule,
  dayNumber: (day: number) => number,
  left: number[],
  right: number[],
): boolean {
  const { days_before = 0, days_after = 0 } = rule;
  return left.every((l) =>
    right.every((r) => {
      const lag =
        dayNumber(state.right.value_date[r] as number) -
        dayNumber(state.left.value_date[l] as number);
      return lag >= -days_before && lag <= days_after;
    }),
  );
}

/** An open-addressing hash table. Lines with the same key are chained. */
class JoinTable {
  readonly slots: number;
  readonly head: { left: Int32Array; right: Int32Array };
  private readonly next: { left: Int32Array; right: Int32Array };
  private readonly keys: HashColumn;

  constructor(lines: number) {
    this.slots = 2 ** Math.ceil(Math.log2(Math.max(16, lines * 1.6)));
    this.head = {
      left: new Int32Array(this.slots).fill(NONE),
      right: new Int32Array(this.slots).fill(NONE),
    };
    this.next = { left: new Int32Array(0), right: new Int32Array(0) };
    this.keys = new HashColumn(this.slots);
  }

  /** Adds a range of lines. Right lines whose key no left line has are skipped. */
  put(state: RunState, side: Side, rule: Rule, from: number, to: number): void {
    const lines: Lines = state[side];
    if (this.next[side].length < lines.length) this.next[side] = new Int32Array(lines.length);
    const head = this.head[side];
    const next = this.next[side];
    for (let line = from; line < to; line++) {
      if (!state.isOpen(side, line)) continue;
      const key = ruleKey(lines, line, rule.on ?? [])
        ?.number(lines.amount[line] as number)
        .finish();
      if (!key) continue;
      const slot = this.find(key.high, key.low);
      if (this.head.left[slot] === NONE) {
        if (side === "right") continue;
        this.keys.set(slot, key);
      }
      next[line] = head[slot] as number;
      head[slot] = line;
    }
  }

  linesOf(side: Side, slot: number): number[] {
    const lines: number[] = [];
    for (
      let line = this.head[side][slot] as number;
      line !== NONE;
      line = this.next[side][line] as number
    )
      lines.push(line);
    return lines;
  }

  /** The slot of this key, or the free slot for it. */
  private find(high: number, low: number): number {
    const { keys, slots } = this;
    const used = this.head.left;
    let slot = low & (slots - 1);
    while (used[slot] !== NONE && (keys.high[slot] !== high || keys.low[slot] !== low))
      slot = (slot + 1) & (slots - 1);
    return slot;
  }
}
