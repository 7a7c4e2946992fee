import type { BoardPair, BoardPeriod } from "#lib/matching/closing-board/contract.ts";

type Filters = { state: BoardPeriod["state"] | null; overdue: boolean | null };

/** The pairs that have a period in this state, with only those periods. */
export function filterPairs(
  pairs: readonly BoardPair[],
  { state, overdue }: Filters,
): readonly BoardPair[] {
  if (state === null && overdue !== true) return pairs;
  return pairs
    .map((pair) => ({
      ...pair,
      periods: pair.periods.filter(
        (period) => (state === null || period.state === state) && (!overdue || period.overdue),
      ),
    }))
    .filter(({ periods }) => periods.length > 0);
}
