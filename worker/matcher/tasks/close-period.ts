import type { Task } from "graphile-worker";
import type { Client } from "pg";
import { requestOf } from "#lib/background/traced-tasks.ts";
import { SQLSTATES } from "#lib/db/sqlstates.ts";
import { log } from "#lib/runtime/log.ts";
import { call, callForValue } from "../runs/call.ts";
import { withConnections } from "./with-connections.ts";

type PeriodKey = { tenant_id: string; reconciliation_id: string };

/** The message of a closing that failed because of an error on our side. */
export const CLOSING_FAILED =
  "Closing failed several times because of an error on our side. " +
  "Nothing was closed: close the period again.";

/**
 * Closes a period with many lines once the full run before it has ended: stores the carried lines
 * and the statement, from one snapshot, moves its suggestions to the next period, and then
 * completes the close. Each step is committed separately, so an interrupted close continues after
 * the last step. A refusal, or an error on our side at the last attempt, leaves the period open
 * with the reason.
 */
export function closePeriodTask(connectionString: string): Task {
  return async (payload, { job, abortSignal }) => {
    const { tenant_id: tenant, reconciliation_id: reconciliation } = payload as PeriodKey;
    const period = { tenant, reconciliation };
    await withConnections(
      connectionString,
      { name: "closing", requestId: requestOf(payload) },
      async (main, side) => {
        try {
          await closePeriod(main, period, abortSignal);
        } catch (error) {
          const { code, detail } = error as { code?: string; detail?: string };
          const failure =
            code === SQLSTATES.refused
              ? detail
              : job.attempts >= job.max_attempts && !abortSignal?.aborted
                ? CLOSING_FAILED
                : undefined;
          if (!failure) throw error;
          log.error({ reconciliation_id: reconciliation, err: error }, "a closing failed");
          await call(side, "fail_closing", { ...period, failure });
        }
      },
    );
  };
}

async function closePeriod(
  client: Client,
  period: { tenant: string; reconciliation: string },
  stop?: AbortSignal,
): Promise<void> {
  if (!(await callForValue<boolean>(client, "begin_requested_closing", period))) return;
  await client.query("begin isolation level repeatable read");
  const goesOn = await callForValue<boolean>(client, "write_requested_closing", period);
  await client.query("commit");
  if (!goesOn) return;
  for (let moved = 1; moved > 0; ) {
    stop?.throwIfAborted();
    moved = await callForValue<number>(client, "move_suggestions_of_closing", period);
  }
  await call(client, "complete_requested_closing", period);
}
