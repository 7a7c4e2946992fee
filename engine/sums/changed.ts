import type { RunState } from "../prepare/run-state.ts";
import { opposite, type Side } from "../side.ts";
import type { SumPool } from "./sum-pool.ts";
import { wordsOfLines } from "./sum-words.ts";

/**
 * The lines that a round confirmed. A target without a solution is only searched again in the next
 * round if one of the lines that may be part of its sum was confirmed.
 */
export class RoundChanges {
  private readonly solved = { left: new Set<number>(), right: new Set<number>() };
  private readonly lines: Record<Side, number[]> = { left: [], right: [] };
  private readonly words: Record<Side, Set<number>>;

  /** @param firstMatch the first match that the round confirmed. */
  constructor(
    state: RunState,
    firstMatch: number,
    solutions: readonly { side: Side; target: number }[],
  ) {
    for (const { side, target } of solutions) this.solved[side].add(target);
    for (let match = firstMatch; match < state.confirmed.length; match++) {
      this.lines.left.push(...state.confirmed.left(match));
      this.lines.right.push(...state.confirmed.right(match));
    }
    const texts = state.texts();
    this.words = {
      left: wordsOfLines(texts.left, this.lines.left),
      right: wordsOfLines(texts.right, this.lines.right),
    };
  }

  /** Whether to search a target again. */
  affects(side: Side, target: number, pool: SumPool): boolean {
    if (this.solved[side].has(target)) return true;
    const other = opposite(side);
    return pool.hasAnyWord(target, this.words[other]) || pool.reachesAny(target, this.lines[other]);
  }
}
