import type { Task } from "graphile-worker";

/** Forgets idempotency keys whose 24 hours are over, in batches so that none holds its locks for long. */
export const purgeIdempotencyKeys: Task = async (_payload, { query, abortSignal }) => {
  let deleted: number;
  do {
    const { rows } = await query<{ deleted: number }>("select private.purge_idempotency_keys() as deleted");
    deleted = rows[0]?.deleted ?? 0;
  } while (deleted > 0 && !abortSignal?.aborted);
};
