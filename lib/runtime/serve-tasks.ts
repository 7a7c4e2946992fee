import { type MessagePort, parentPort } from "node:worker_threads";
import { ApiError } from "../wire/errors.ts";
import { lowerPriority } from "./lower-priority.ts";
import type { Ended } from "./threads.ts";

/** Has this thread do the tasks of `Threads`, one per message; while one waits, others run. A task talks to its caller by its port. */
export function serveTasks<Task>(work: (task: Task, port: MessagePort) => unknown): void {
  lowerPriority();
  parentPort?.on(
    "message",
    ({ task, port }: { task: Task; port: MessagePort }) => void serve(() => work(task, port), port),
  );
}

async function serve(work: () => unknown, port: MessagePort): Promise<void> {
  try {
    port.postMessage({ type: "end", answer: await work() } satisfies Ended);
  } catch (error) {
    port.postMessage(endOf(error));
  } finally {
    port.close();
  }
}

/** Of an error only what every port takes. */
function endOf(error: unknown): Ended {
  if (error instanceof ApiError)
    return { type: "refused", code: error.code, message: error.message, errors: error.errors };
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { type: "failed", name, message, stack };
}
