/**
 * The thread that executes runs: a step of seconds would delay the process's heartbeat, and another
 * process would take over its jobs.
 */
import type { MessagePort } from "node:worker_threads";
import { SQLSTATES } from "#lib/db/sqlstates.ts";
import { serveTasks } from "#lib/runtime/serve-tasks.ts";
import { startTelemetry } from "#lib/runtime/start-telemetry.ts";
import { continueStep } from "#lib/runtime/trace.ts";
import { ApiError } from "#lib/wire/errors.ts";
import { withConnections } from "../tasks/with-connections.ts";
import { doRun, type RunKey } from "./do-run.ts";

export type RunTask = {
  connectionString: string;
  key: RunKey;
  requestId: string | null;
  traceparent: string | undefined;
};

await startTelemetry("matcher", null);

serveTasks(
  async ({ connectionString, key, requestId, traceparent }: RunTask, port: MessagePort) => {
    const stop = new AbortController();
    port.on("message", () => stop.abort());
    port.once("close", () => stop.abort());
    await continueStep(traceparent, () =>
      withConnections(
        connectionString,
        { name: "run", requestId },
        async (client, progressClient) => {
          await doRun(
            client,
            progressClient,
            key,
            (attempt) => port.postMessage(attempt),
            stop.signal,
          ).catch(refuse);
        },
      ),
    );
  },
);

/** A refusal by a database function is final, for instance because the period was closed. */
function refuse(error: Error & { code?: string; detail?: string }): never {
  if (error.code === SQLSTATES.refused)
    throw new ApiError("conflict", error.detail ?? error.message, { cause: error });
  throw error;
}
