import { type MessagePort, parentPort } from "node:worker_threads";
import { ApiError } from "../wire/errors.ts";
import { lowerPriority } from "./lower-priority.ts";
import type { FinalMessage } from "./threads.ts";

/**
 * Makes this thread run the tasks of `Threads`, one per message. Tasks run concurrently; each has a
 * port to its caller.
 */
export function serveTasks<Task>(work: (task: Task, port: MessagePort) => unknown): void {
  lowerPriority();
  parentPort?.on(
    "message",
    ({ task, port }: { task: Task; port: MessagePort }) => void serve(() => work(task, port), port),
  );
}

async function serve(work: () => unknown, port: MessagePort): Promise<void> {
  try {
    port.postMessage({ type: "end", answer: await work() } satisfies FinalMessage);
  } catch (error) {
    port.postMessage(endOf(error));
  } finally {
    port.close();
  }
}

/** Reduces an error to fields that can be sent through a port. */
function endOf(error: unknown): FinalMessage {
  if (error instanceof ApiError)
    return { type: "refused", code: error.code, message: error.message, errors: error.errors };
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { type: "failed", name, message, stack };
}
