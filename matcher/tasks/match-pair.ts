import type { Task } from "graphile-worker";
import { requestOf } from "#lib/background/traced-tasks.ts";
import { log } from "#lib/runtime/log.ts";
import { doRun, type RunKey, RunRefused } from "../runs/do-run.ts";
import { withConnections } from "./with-connections.ts";

const OURS = "Something went wrong on our side, several times. What was kept is whole: run it again.";

/** Does the run that waits for a period, or one that nobody asked for. What breaks on our side is tried again: it goes on where it was. */
export function matchPairTask(connectionString: string): Task {
  return async (payload, { job, abortSignal }) => {
    const key = payload as RunKey;
    await withConnections(connectionString, { name: "tieout run", requestId: requestOf(payload) }, async (main, side) => {
      let runId: string | undefined;
      try {
        await main.query("set statement_timeout = 0");
        await doRun(main, side, key, (id) => (runId = id), abortSignal);
      } catch (error) {
        const final = error instanceof RunRefused || isRefusal(error) ? (error as Error) : undefined;
        if (!runId || (!final && job.attempts < job.max_attempts)) throw error;
        log.error({ run_id: runId, err: error }, "a run failed");
        await side.query("select private.fail_run($1, $2, $3)", [key.tenant_id, runId, final ? messageOf(final) : OURS]);
      }
    });
  };
}

/** Refusals of our own functions: the period was closed meanwhile, for instance. */
function isRefusal(error: unknown): boolean {
  return (error as { code?: string }).code === "TO001";
}

function messageOf(error: Error & { detail?: string }): string {
  return error.detail ?? error.message;
}
