import type { Task } from "graphile-worker";

/** Forgets deliveries and their payloads after 30 days, in batches so that none holds its locks for long. */
export const purgeWebhookDeliveries: Task = async (_payload, { query, abortSignal }) => {
  let deleted: number;
  do {
    const { rows } = await query<{ deleted: number }>("select private.purge_webhook_deliveries() as deleted");
    deleted = rows[0]?.deleted ?? 0;
  } while (deleted > 0 && !abortSignal?.aborted);
};
