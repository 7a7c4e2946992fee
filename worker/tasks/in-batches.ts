import type { Task } from "graphile-worker";

/** Database functions that process one batch of due rows per call and return the number of rows. */
export type BatchFunction =
  | "private.extend_calendars"
  | "private.open_missing_files"
  | "private.queue_due_fetches"
  | "private.queue_nightly_runs"
  | "private.merge_exception_counters"
  | "private.collect_alerts"
  | "private.purge_alerts"
  | "private.purge_api_key_usage"
  | "private.purge_idempotency_keys"
  | "private.purge_records"
  | "private.purge_security_events"
  | "private.purge_sessions"
  | "private.purge_webhook_deliveries"
  | "private.rebuild_calendars"
  | "private.roll_partitions"
  | "private.report_security_event_counts";

/**
 * Calls the function until nothing is left to do, so that no batch holds its locks for long, and
 * logs the total.
 */
export function inBatches(call: BatchFunction): Task {
  return async (_payload, { query, logger, abortSignal }) => {
    let total = 0;
    let done: number;
    do {
      const { rows } = await query<{ done: number }>(`select ${call}() as done`);
      done = rows[0]?.done ?? 0;
      total += done;
    } while (done > 0 && !abortSignal?.aborted);
    if (total > 0) logger.info(`${call}: ${total}`);
  };
}
