/** The difference between a run's result and the matches of earlier runs. Pure. */
import { matchHash } from "../../../engine/content-hash.ts";
import type { Result } from "../../../engine/engine.ts";
import type { Matches } from "../../../engine/matches.ts";
import { type Fees, withFees } from "./fees.ts";
import type { EarlierMatch } from "./read-run.ts";

/** Smaller changes of a score aren't stored. */
const MIN_SCORE_CHANGE = 0.001;

export type MatchState = "confirmed" | "suggested";

/**
 * A match of the result, by its index. `replaces`: the id of an earlier match with the same lines
 * and amounts, but another rule or hash.
 */
export type NewMatch = { state: MatchState; index: number; hash: string; replaces: string | null };

export type Changes = {
  unchanged: number;
  /** Confirmed matches come first. */
  created: NewMatch[];
  /** Earlier matches that the result does not have. */
  removed: EarlierMatch[];
};

/**
 * Matches are compared by their hash: the same state, rule, lines and amounts are the same match.
 */
export function changesOf(result: Result, present: readonly EarlierMatch[], fees: Fees): Changes {
  const remaining = new Map(present.map((match) => [match.hash, match]));
  const created: NewMatch[] = [];
  let unchanged = 0;
  for (const state of ["confirmed", "suggested"] as const) {
    for (let index = 0; index < result[state].length; index++) {
      const hash = matchHash(state, result[state], index, result.input.left, result.input.right);
      const earlier = remaining.get(hash);
      remaining.delete(hash);
      if (earlier && hasSameScore(earlier, result[state], index)) unchanged += 1;
      else created.push({ state, index, hash, replaces: earlier?.id ?? null });
    }
  }
  const byContent = new Map(
    [...remaining.values()].map((match) => [
      contentOf(match.state, match.lines, match.allocated),
      match,
    ]),
  );
  for (const match of byContent.size > 0 ? created : []) {
    const handles = handlesOf(result, result[match.state], match.index);
    const content = contentOf(
      match.state,
      handles,
      withFees(fees, handles, allocatedOf(result, match)),
    );
    const earlier = byContent.get(content);
    if (!earlier) continue;
    match.replaces = earlier.id;
    byContent.delete(content);
    remaining.delete(earlier.hash);
  }
  return { unchanged, created, removed: [...remaining.values()] };
}

/** A suggestion's score follows newer lines; a confirmed match keeps its original score. */
function hasSameScore({ state, score }: EarlierMatch, matches: Matches, index: number): boolean {
  return (
    state === "confirmed" || Math.abs(score - (matches.score[index] as number)) < MIN_SCORE_CHANGE
  );
}

/** The line numbers of a match as the callers know them (handles), with the left lines first. */
export function handlesOf(
  { input: { left, right } }: Result,
  matches: Matches,
  index: number,
): number[] {
  return [
    ...Array.from(matches.left(index), (line) => left.handle[line] as number),
    ...Array.from(matches.right(index), (line) => right.handle[line] as number),
  ];
}

/** The allocated amounts that the engine weighed, which are less the fees that the pair deducts. */
export function allocatedOf(
  { input: { left, right }, ...result }: Result,
  { state, index }: Pick<NewMatch, "state" | "index">,
): readonly number[] {
  return result[state].allocated(index, left, right);
}

function contentOf(
  state: MatchState,
  lines: readonly number[],
  allocated: readonly number[],
): string {
  return `${state} ${lines
    .map((line, at) => `${line}:${allocated[at]}`)
    .sort()
    .join(" ")}`;
}
