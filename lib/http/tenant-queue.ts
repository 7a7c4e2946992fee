import { singleton } from "../runtime/singleton.ts";
import { ApiError } from "../wire/errors.ts";

/** Reading a smaller body costs less than waiting in the queue. */
const LARGE_BYTES = 64 * 1024;
/** Waiting bodies are held in memory. */
const WAITING_MAX = 40;

const PAUSE_FACTOR = 3;

type Queue = { last: Promise<void>; waiting: number };

const queues = () => singleton("turns", () => new Map<string, Queue>());

/**
 * Runs work that blocks the event loop in the tenant's queue: one task after another, with a pause
 * three times as long as the task before. So whatever one tenant sends or exports, three quarters
 * of the event loop's time stay with the others.
 */
export async function runQueued<Result>(tenantId: string, work: () => Result): Promise<Result> {
  const queue = queues().get(tenantId) ?? { last: Promise.resolve(), waiting: 0 };
  queues().set(tenantId, queue);
  queue.waiting++;
  const before = queue.last;
  const { promise, resolve } = Promise.withResolvers<void>();
  queue.last = promise;
  await before;
  const startedAt = performance.now();
  try {
    return work();
  } finally {
    setTimeout(
      () => {
        queue.waiting--;
        if (queue.waiting === 0) queues().delete(tenantId);
        resolve();
      },
      PAUSE_FACTOR * (performance.now() - startedAt),
    );
  }
}

/**
 * Reads a body of `bytes`, in the tenant's queue if it is 64 KB or larger. @throws ApiError
 * `rate_limited` if 40 bodies of the tenant are waiting
 */
export async function readInTurn<Result>(
  tenantId: string,
  bytes: number,
  read: () => Result,
): Promise<Result> {
  if (bytes < LARGE_BYTES) return read();
  if ((queues().get(tenantId)?.waiting ?? 0) >= WAITING_MAX) {
    throw new ApiError(
      "rate_limited",
      "Your tenant sends too many large bodies at once. Try again in 1 s.",
      {
        headers: { "Retry-After": "1" },
      },
    );
  }
  return runQueued(tenantId, read);
}
