import type { Task } from "graphile-worker";

/** The time for indexing in each minute; the rest is left to imports and runs. */
const INDEXING_BUDGET_MS = 20_000;

/**
 * Writes the lines' search index in batches. Remaining lines wait for the next minute, and are
 * scanned until then.
 */
export const indexLines: Task = async (_payload, { query, abortSignal }) => {
  const until = performance.now() + INDEXING_BUDGET_MS;
  for (let goesOn = true; goesOn && performance.now() < until && !abortSignal?.aborted; ) {
    const { rows } = await query<{ goes_on: boolean }>("select private.index_lines() as goes_on");
    goesOn = rows[0]?.goes_on === true;
  }
};
