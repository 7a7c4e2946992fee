import type { Task } from "graphile-worker";

/**
 * Recounts a pair from its lines and decisions. Differences are sent as `books.differ` and fail the
 * job, which triggers the operator's alert on failed jobs.
 */
export const recountBooks: Task = async (payload, { query }) => {
  const { tenant_id, pair_no } = payload as { tenant_id: string; pair_no: number };
  const { rows } = await query<{ differences: string }>(
    "select private.recount_books($1, $2) as differences",
    [tenant_id, pair_no],
  );
  const differences = Number(rows[0]?.differences ?? 0);
  if (differences > 0)
    throw new Error(
      `The books of pair ${pair_no} of ${tenant_id} differ in ` +
        `${differences} places: npm run -s doctor -- --books`,
    );
};

/** Queues a recount of every pair. */
export const queueBookRecounts: Task = async (_payload, { query }) => {
  await query("select private.queue_book_recounts()");
};
