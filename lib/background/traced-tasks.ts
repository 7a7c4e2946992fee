import type { Task, TaskList } from "graphile-worker";
import { traced } from "../runtime/trace.ts";

/**
 * Traces each job as a step of its request, whose ID `private.with_request_id` put into the
 * payload. A job without a request starts its own trace.
 */
export function tracedTasks(tasks: TaskList): TaskList {
  return Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [name, task && tracedTask(name, task)]),
  );
}

function tracedTask(name: string, task: Task): Task {
  return (payload, helpers) => {
    const { id, attempts } = helpers.job;
    return traced(
      () => ({
        requestId: requestOf(payload),
        name: `job ${name}`,
        kind: "consumer",
        attributes: { "tieout.job_id": id, "tieout.job_attempt": attempts },
      }),
      async () => task(payload, helpers),
    );
  };
}

/**
 * The ID of the request that queued a job. Null for a scheduled job, and for a job queued by a
 * version that did not store the ID.
 */
export function requestOf(payload: unknown): string | null {
  const { request_id } = (payload ?? {}) as { request_id?: unknown };
  return typeof request_id === "string" ? request_id : null;
}
