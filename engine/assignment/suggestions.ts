import { BASIS, Matches } from "../matches.ts";
import { compareLines } from "../prepare/order.ts";
import type { RunState } from "../prepare/run-state.ts";
import { sum } from "../prepare/sum.ts";

/** The best proposals. Each shares no line with a confirmed match or with a better proposal. */
export function disjointSuggestions(state: RunState): Matches {
  const { proposed } = state;
  const first = firstOfEach(proposed);
  const ranks = new Map(first.map((index) => [index, rankOf(state, index)]));
  const order = first.sort((a, b) => compareProposals(state, ranks, a, b));
  const used = {
    left: new Uint8Array(state.left.length),
    right: new Uint8Array(state.right.length),
  };
  const suggested = new Matches();
  for (const index of order) {
    const left = proposed.left(index);
    const right = proposed.right(index);
    if (left.some((line) => used.left[line] || !state.isOpen("left", line))) continue;
    if (right.some((line) => used.right[line] || !state.isOpen("right", line))) continue;
    suggested.add(
      proposed.rule[index] as number,
      left,
      right,
      proposed.verdict(index),
      proposed.partial.get(index),
    );
    for (const line of left) used.left[line] = 1;
    for (const line of right) used.right[line] = 1;
  }
  return suggested;
}

/**
 * Keeps, of several proposals of the same lines, the one of the first rule. Its claim is strongest:
 * an equal amount rather than a fee, a fee rather than a part payment.
 */
function firstOfEach(proposed: Matches): number[] {
  const seen = new Set<string>();
  return Array.from({ length: proposed.length }, (_, index) => index).filter((index) => {
    const lines = `${proposed.left(index)} ${proposed.right(index)}`;
    return !seen.has(lines) && seen.add(lines);
  });
}

/** From this probability on, what is exact or explained precedes what is merely more probable. */
const PROBABLE = 0.5;

const RANK = { exact: 2, explained: 1, other: 0 };

/**
 * What explains its lines to the cent comes first, a pair with equal amounts or a sum of lines that
 * name each other; then such a sum less a discount; then what leaves more.
 */
function rankOf({ proposed, left, right }: RunState, index: number): number {
  const lines = (proposed.start[index + 1] as number) - (proposed.start[index] as number);
  if ((proposed.score[index] as number) <= PROBABLE) return RANK.other;
  const isNamed = proposed.namedSums.has(index);
  if (lines > 2 && proposed.basis[index] !== BASIS.keyed && !isNamed) return RANK.other;
  const amounts = (of: typeof left, members: Int32Array) =>
    sum(Array.from(members, (line) => of.amount[line] as number));
  if (amounts(left, proposed.left(index)) === amounts(right, proposed.right(index)))
    return RANK.exact;
  return isNamed ? RANK.explained : RANK.other;
}

/**
 * The higher rank first, then the more probable, then the earlier rule, then the order of the
 * lines.
 */
function compareProposals(
  { proposed, left, right }: RunState,
  ranks: ReadonlyMap<number, number>,
  one: number,
  other: number,
): number {
  const order =
    (ranks.get(other) as number) - (ranks.get(one) as number) ||
    (proposed.score[other] as number) - (proposed.score[one] as number) ||
    (proposed.rule[one] as number) - (proposed.rule[other] as number);
  if (order !== 0) return order;
  return (
    compareMembers(left, proposed.left(one), proposed.left(other)) ||
    compareMembers(right, proposed.right(one), proposed.right(other))
  );
}

function compareMembers(lines: RunState["left"], one: Int32Array, other: Int32Array): number {
  for (let at = 0; at < one.length && at < other.length; at++) {
    const order = compareLines(lines, one[at] as number, other[at] as number);
    if (order !== 0) return order;
  }
  return one.length - other.length;
}
