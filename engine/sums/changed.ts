import type { RunState } from "../prepare/run-state.ts";
import { opposite, type Side } from "../side.ts";
import type { SumPool } from "./sum-pool.ts";
import { wordsOfLines } from "./sum-words.ts";

/**
 * What a round confirmed. A target that had no solution has none in the next round either, unless one
 * of the lines that it may consist of is gone.
 */
export class Changed {
  private readonly solved = { left: new Set<number>(), right: new Set<number>() };
  private readonly gone: Record<Side, number[]> = { left: [], right: [] };
  private readonly words: Record<Side, Set<number>>;

  /** @param from the first match that the round confirmed. */
  constructor(state: RunState, from: number, solutions: readonly { side: Side; target: number }[]) {
    for (const { side, target } of solutions) this.solved[side].add(target);
    for (let match = from; match < state.confirmed.length; match++) {
      this.gone.left.push(...state.confirmed.left(match));
      this.gone.right.push(...state.confirmed.right(match));
    }
    const texts = state.texts();
    this.words = {
      left: wordsOfLines(texts.left, this.gone.left),
      right: wordsOfLines(texts.right, this.gone.right),
    };
  }

  concerns(side: Side, target: number, pool: SumPool): boolean {
    if (this.solved[side].has(target)) return true;
    const other = opposite(side);
    return pool.hasAnyWord(target, this.words[other]) || pool.mayReachAny(target, this.gone[other]);
  }
}
