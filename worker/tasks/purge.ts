import type { Task } from "graphile-worker";

/** Each purges, reports or extends what its time has come for, one batch per call, and returns how many. */
export type Purge =
  | "private.extend_calendars"
  | "private.purge_api_key_usage"
  | "private.purge_idempotency_keys"
  | "private.purge_records"
  | "private.purge_security_events"
  | "private.purge_sessions"
  | "private.purge_webhook_deliveries"
  | "private.tell_security_event_counts";

/** In batches, so that none holds its locks for long, until nothing is left to forget. */
export function purge(call: Purge): Task {
  return async (_payload, { query, abortSignal }) => {
    let deleted: number;
    do {
      const { rows } = await query<{ deleted: number }>(`select ${call}() as deleted`);
      deleted = rows[0]?.deleted ?? 0;
    } while (deleted > 0 && !abortSignal?.aborted);
  };
}
