import type { Exception } from "#lib/exceptions/contract.ts";
import type { SavedFilters } from "#lib/exceptions/filters/contract.ts";
import type { BulkChange } from "./change-in-bulk.ts";
import { sendChange } from "./send-change.ts";

/** The open exceptions that a filter matches, and how many there were when they were selected. */
export type Matching = { filter: SavedFilters; count: number };

export type MatchingOutcome = {
  /** The changed exceptions as they were before. */
  changed: Exception[];
  skipped: { id: string; title: string; message: string }[];
  /** Why it ended early; null if it was stopped or finished. */
  error: Error | null;
};

/**
 * Changes all matching exceptions, in the batches that the API chooses. Refused before any change
 * if the number that matches is different now. Never rejects: `error` has the reason.
 */
export async function changeMatching(
  { tenant, matching, change }: { tenant: string; matching: Matching; change: BulkChange },
  { onProgress, signal }: { onProgress: (settled: number) => void; signal: AbortSignal },
): Promise<MatchingOutcome> {
  const outcome: MatchingOutcome = { changed: [], skipped: [], error: null };
  let cursor: string | null = null;
  do {
    try {
      const body = {
        filter: matching.filter,
        expected_count: matching.count,
        ...(cursor !== null && { cursor }),
        ...change,
      };
      const answer: Awaited<ReturnType<typeof sendChange>> = await sendChange(tenant, body);
      outcome.changed.push(...answer.previous);
      outcome.skipped.push(...answer.skipped);
      cursor = answer.next_cursor;
    } catch (error) {
      return { ...outcome, error: error as Error };
    }
    onProgress(outcome.changed.length + outcome.skipped.length);
  } while (cursor !== null && !signal.aborted);
  return outcome;
}
