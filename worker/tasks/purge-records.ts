import type { Task } from "graphile-worker";

/** Forgets records deleted 30 days ago, in batches so that none holds its locks for long. */
export const purgeRecords: Task = async (_payload, { query, abortSignal }) => {
  let purged: number;
  do {
    const { rows } = await query<{ purged: number }>("select private.purge_records() as purged");
    purged = rows[0]?.purged ?? 0;
  } while (purged > 0 && !abortSignal?.aborted);
};
