import { setTimeout as pause } from "node:timers/promises";
import { singleton } from "./singleton.ts";
import { rateLimited, TenantLimiter } from "./tenant-limiter.ts";

/** Reading a smaller body costs less than waiting in the queue. */
const LARGE_BYTES = 64 * 1024;
/** Waiting bodies are held in memory. */
const WAITING_MAX = 40;

const PAUSE_FACTOR = 3;

const queues = () =>
  singleton("tenant-queues", () => new TenantLimiter({ kinds: { blocking: { perTenant: 1 } } }));

/**
 * Runs work that blocks the event loop in the tenant's queue: one task after another, with a pause
 * three times as long as the task before. So whatever one tenant sends or exports, three quarters
 * of the event loop's time stay with the others.
 */
export function runQueued<Result>(
  tenantId: string,
  work: () => Result | PromiseLike<Result>,
): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  // The place in the queue is held during the pause, and the caller has its result before that.
  void queues().run(tenantId, "blocking", async () => {
    const startedAt = performance.now();
    try {
      resolve(await work());
    } catch (error) {
      reject(error);
    }
    await pause(PAUSE_FACTOR * (performance.now() - startedAt));
  });
  return promise;
}

/**
 * Reads a body of `bytes`, in the tenant's queue if it is 64 KB or larger. @throws ApiError
 * `rate_limited` if 40 bodies of the tenant are waiting
 */
export async function readQueued<Result>(
  tenantId: string,
  bytes: number,
  read: () => Result,
): Promise<Result> {
  if (bytes < LARGE_BYTES) return read();
  if (queues().unfinished(tenantId) >= WAITING_MAX)
    throw rateLimited("Your tenant sends too many large bodies at once.");
  return runQueued(tenantId, read);
}
