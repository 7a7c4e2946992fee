import type { z } from "zod";
import { ApiProblem } from "#components/api-client.ts";
import type { updateExceptionsContract } from "#lib/exceptions/bulk/contract.ts";
import { sendChange } from "./send-change.ts";

type Body = Required<z.input<NonNullable<typeof updateExceptionsContract.body>>>;
export type BulkChange = Pick<Body, "patch"> | Pick<Body, "pause"> | Pick<Body, "resume">;

export type Outcome = {
  changed: string[];
  refused: { id: string; reason: string }[];
  /** Result unknown: the exceptions of the failed call and those after it. */
  unsent: string[];
  /** Why it ended early; null if it was stopped or finished. */
  error: Error | null;
};

/** The maximum number of IDs in one call of the API. */
const CHUNK = 500;

/**
 * Changes any number of exceptions, in batches of 500. A batch changes all or none, so exceptions
 * that a refusal names are reported and left out, and the rest is sent again.
 */
export async function changeInBulk(
  { tenant, ids, change }: { tenant: string; ids: readonly string[]; change: BulkChange },
  { onProgress, signal }: { onProgress: (settled: number) => void; signal: AbortSignal },
): Promise<Outcome> {
  const outcome: Outcome = { changed: [], refused: [], unsent: [], error: null };
  for (let start = 0; start < ids.length; start += CHUNK) {
    try {
      if (!signal.aborted)
        await changeChunk(tenant, ids.slice(start, start + CHUNK), change, outcome);
    } catch (error) {
      outcome.error = error as Error;
    }
    if (signal.aborted || outcome.error) {
      const settled = new Set([...outcome.changed, ...outcome.refused.map(({ id }) => id)]);
      outcome.unsent = ids.filter((id) => !settled.has(id));
      return outcome;
    }
    onProgress(Math.min(start + CHUNK, ids.length));
  }
  return outcome;
}

/** @throws ApiProblem if the refusal isn't about single exceptions. */
async function changeChunk(
  tenant: string,
  chunk: readonly string[],
  change: BulkChange,
  outcome: Outcome,
): Promise<void> {
  for (let ids = chunk; ids.length > 0; ) {
    try {
      await sendChange(tenant, { ids: [...ids], ...change });
      outcome.changed.push(...ids);
      return;
    } catch (error) {
      const reasons =
        error instanceof ApiProblem ? reasonsByPlace(error) : new Map<number, string>();
      if (reasons.size === 0) throw error;
      outcome.refused.push(
        ...[...reasons].map(([place, reason]) => ({ id: ids[place] ?? "", reason })),
      );
      ids = ids.filter((_, place) => !reasons.has(place));
    }
  }
}

/** The path `ids.3` is the fourth ID. */
function reasonsByPlace({ errors }: ApiProblem): Map<number, string> {
  return new Map(
    errors.flatMap(({ path, message }) =>
      /^ids\.\d+$/.test(path) ? [[Number(path.slice(4)), message]] : [],
    ),
  );
}
