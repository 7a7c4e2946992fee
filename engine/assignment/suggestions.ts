import { BASIS, Matches } from "../matches.ts";
import { compareLines } from "../prepare/order.ts";
import type { RunState } from "../prepare/run-state.ts";
import { sum } from "../prepare/sum.ts";

/** The best proposals. Each shares no line with a confirmed match or with a better proposal. */
export function disjointSuggestions(state: RunState): Matches {
  const { proposed } = state;
  const distinct = withoutDuplicates(proposed);
  const ranks = new Map(distinct.map((index) => [index, rankOf(state, index)]));
  const order = distinct.sort((a, b) => compareProposals(state, ranks, a, b));
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
 * Keeps only the proposal of the first rule if several propose the same lines. Its claim is
 * strongest: an equal amount rather than a fee, a fee rather than a part payment.
 */
function withoutDuplicates(proposed: Matches): number[] {
  const seen = new Set<string>();
  return Array.from({ length: proposed.length }, (_, index) => index).filter((index) => {
    const lines = `${proposed.left(index)} ${proposed.right(index)}`;
    return !seen.has(lines) && seen.add(lines);
  });
}

/** Above this probability, exact and explained proposals precede more probable ones. */
const PROBABLE_SCORE = 0.5;

const RANK = { exact: 2, explained: 1, other: 0 };

/**
 * Pairs, groups with one key and sums of lines that name each other rank first if the amounts of
 * both sides are equal. Next are such sums less a discount, then all other proposals.
 */
function rankOf({ proposed, left, right }: RunState, index: number): number {
  const lines = (proposed.start[index + 1] as number) - (proposed.start[index] as number);
  if ((proposed.score[index] as number) <= PROBABLE_SCORE) return RANK.other;
  const isNamed = proposed.namedSums.has(index);
  if (lines > 2 && proposed.basis[index] !== BASIS.keyed && !isNamed) return RANK.other;
  const totalOf = (side: typeof left, members: Int32Array) =>
    sum(Array.from(members, (line) => side.amount[line] as number));
  if (totalOf(left, proposed.left(index)) === totalOf(right, proposed.right(index)))
    return RANK.exact;
  return isNamed ? RANK.explained : RANK.other;
}

/**
 * Orders proposals by descending rank, then by descending probability, by rule and by the order of
 * their lines.
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
