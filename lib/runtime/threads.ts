import { on } from "node:events";
import { MessageChannel, type MessagePort, type Worker } from "node:worker_threads";
import { ApiError, type ErrorCode, type FieldError } from "../wire/errors.ts";
import { log } from "./log.ts";
import { singleton } from "./singleton.ts";

/** The last message of a thread about a task. */
export type FinalMessage =
  | { type: "end"; answer?: unknown }
  | { type: "refused"; code: ErrorCode; message: string; errors: FieldError[] | undefined }
  | { type: "failed"; name: string; message: string; stack: string | undefined };

type Options = {
  /** What the threads do, for the log. */
  name: string;
  /** Starts a thread whose file calls `serveTasks`. */
  begin: () => Worker;
  max: number;
  /** The maximum number of unfinished tasks. */
  maxTasks?: number;
};

type Thread = { worker: Worker; tasks: number; idle: NodeJS.Timeout | undefined };

/** An idle thread ends after a minute, to free the memory of large tasks. */
const IDLE_MS = 60_000;

/**
 * Threads for work that would block the event loop. They start on demand and end when they have
 * been idle for a minute.
 */
export class Threads<Task> {
  readonly #options: Options;
  readonly #threads = new Set<Thread>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** The number of unfinished tasks. */
  get tasks(): number {
    return [...this.#threads].reduce((total, { tasks }) => total + tasks, 0);
  }

  /**
   * Starts a task in the thread with the fewest tasks. Its port closes when the task or its thread
   * ends. @throws ApiError `unavailable` if `maxTasks` are unfinished
   */
  open(task: Task): MessagePort {
    return this.#begin(task).port;
  }

  #begin(task: Task): { thread: Thread; port: MessagePort; end: () => void } {
    if (this.tasks >= (this.#options.maxTasks ?? Number.POSITIVE_INFINITY))
      throw busy("Too many requests of this kind are under way.");
    const thread = this.#idlest();
    const { port1: port, port2 } = new MessageChannel();
    thread.tasks += 1;
    clearTimeout(thread.idle);
    thread.idle = undefined;
    let ended = false;
    const end = () => {
      if (!ended) thread.tasks -= 1;
      ended = true;
      if (thread.tasks === 0)
        thread.idle ??= setTimeout(() => void thread.worker.terminate(), IDLE_MS).unref();
    };
    port.once("close", end);
    thread.worker.postMessage({ task, port: port2 }, [port2]);
    return { thread, port, end };
  }

  /**
   * Runs a task and returns its answer. `onMessage` receives each message that the thread sends
   * before. @throws the error that the task threw; ApiError `unavailable` if the thread died
   */
  async run<Answer>(
    task: Task,
    { signal, onMessage }: { signal?: AbortSignal; onMessage?: (message: never) => void } = {},
  ): Promise<Answer> {
    const { thread, port, end } = this.#begin(task);
    const stop = () => port.postMessage("stop");
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
    try {
      for await (const message of messagesOf<FinalMessage>(port)) {
        if (isFinal(message)) return message.answer as Answer;
        onMessage?.(message as never);
      }
      this.#threads.delete(thread);
      throw busy("The work was interrupted.");
    } finally {
      signal?.removeEventListener("abort", stop);
      port.close();
      end();
    }
  }

  #idlest(): Thread {
    const [idlest] = [...this.#threads].sort((a, b) => a.tasks - b.tasks);
    if (idlest && (idlest.tasks === 0 || this.#threads.size >= this.#options.max)) return idlest;
    const thread: Thread = { worker: this.#options.begin(), tasks: 0, idle: undefined };
    thread.worker.unref();
    thread.worker.on("error", (error) =>
      log.error({ thread: this.#options.name, err: error }, "a thread failed"),
    );
    thread.worker.on("exit", () => this.#threads.delete(thread));
    this.#threads.add(thread);
    return thread;
  }
}

/** The threads of this name, of which a process has one set. */
export const threads = <Task>(options: Options): Threads<Task> =>
  singleton(`threads.${options.name}`, () => new Threads<Task>(options));

/** The messages of a port until the other end closes it. */
export async function* messagesOf<Message>(port: MessagePort): AsyncGenerator<Message> {
  for await (const [message] of on(port, "message", { close: ["close"] })) yield message;
}

/** Whether this is the last message about a task. @throws the error that the task threw */
export function isFinal(
  message: FinalMessage | { type: string },
): message is Extract<FinalMessage, { type: "end" }> {
  const { type } = message;
  if (type === "refused") {
    const { code, message: detail, errors } = message as Extract<FinalMessage, { type: "refused" }>;
    throw new ApiError(code, detail, { errors });
  }
  if (type === "failed") {
    const { name, message: reason, stack } = message as Extract<FinalMessage, { type: "failed" }>;
    throw Object.assign(new Error(reason), { name, stack });
  }
  return type === "end";
}

function busy(reason: string): ApiError {
  return new ApiError(
    "unavailable",
    `${reason} Send it again, with the same idempotency key where it has one.`,
    {
      headers: { "Retry-After": "2" },
    },
  );
}
