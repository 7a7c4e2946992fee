import type { Task } from "graphile-worker";
import { log } from "#lib/runtime/log.ts";
import { CLOSING_FAILED } from "./close-period.ts";
import { RUN_FAILED } from "./match-pair.ts";

/**
 * Fails the runs and closings whose processes died at every attempt, so that they could not report
 * it.
 */
export const endAbandonedRuns: Task = async (_payload, { query }) => {
  const { rows } = await query<{ run_id: string }>(
    "select private.end_abandoned_runs($1) as run_id",
    [RUN_FAILED],
  );
  if (rows.length > 0)
    log.error(
      { runs: rows.map(({ run_id }) => run_id) },
      "ended runs whose processes died at every attempt",
    );
  const closings = await query<{ id: string }>("select private.end_abandoned_closings($1) as id", [
    CLOSING_FAILED,
  ]);
  if (closings.rows.length > 0)
    log.error(
      { periods: closings.rows.map(({ id }) => id) },
      "ended closings whose processes died at every attempt",
    );
};
