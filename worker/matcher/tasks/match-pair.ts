import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Task } from "graphile-worker";
import { requestOf } from "#lib/background/traced-tasks.ts";
import { log } from "#lib/runtime/log.ts";
import { threads } from "#lib/runtime/threads.ts";
import { currentStep } from "#lib/runtime/trace.ts";
import { ApiError } from "#lib/wire/errors.ts";
import type { Attempt, RunKey } from "../runs/do-run.ts";
import type { RunTask } from "../runs/run-thread.ts";

/** The message of a run that failed because of an error on our side. */
export const RUN_FAILED =
  "The run failed several times because of an error on our side. " +
  "The matches it saved are complete. Start it again.";
/**
 * The subquery sets the request id before the function runs: its condition always holds, and
 * `offset 0` keeps it in place.
 */
const FAIL = `select private.fail_run($1, $2, $3, $4) as failed
  from (select set_config('app.request_id', $5, true) as request_id offset 0) r
  where r.request_id is not null`;

/** At most two of them are large, so the third slot is for runs that take seconds. */
export const MAX_CONCURRENT_RUNS = 3;

export const runThreads = () =>
  threads<RunTask>({
    name: "does runs",
    begin: () => new Worker(join(import.meta.dirname, "../runs/run-thread.ts")),
    max: MAX_CONCURRENT_RUNS,
  });

/**
 * Executes the run that waits for a period, or starts one. After an error on our side it is
 * retried, and continues from what was stored.
 */
export function matchPairTask(connectionString: string): Task {
  return async (payload, { job, abortSignal, query }) => {
    const key = payload as RunKey;
    const requestId = requestOf(payload);
    const task: RunTask = { connectionString, key, requestId, traceparent: currentStep() };
    let begun: Attempt | undefined;
    const onMessage = (attempt: Attempt) => {
      begun = attempt;
    };
    try {
      await runThreads().run(task, { onMessage, ...(abortSignal && { signal: abortSignal }) });
    } catch (error) {
      const final = error instanceof ApiError && error.code === "conflict" ? error : undefined;
      if (!begun || (!final && job.attempts < job.max_attempts)) throw error;
      const reason = final?.message ?? RUN_FAILED;
      const { rows } = await query<{ failed: boolean }>(FAIL, [
        key.tenant_id,
        begun.runId,
        begun.attempt,
        reason,
        requestId ?? "",
      ]);
      // Another attempt has claimed the run, and settles the job.
      if (!rows[0]?.failed) throw error;
      log.error({ run_id: begun.runId, err: error }, "a run failed");
    }
  };
}
