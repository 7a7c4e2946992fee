import { singleton } from "../runtime/singleton.ts";
import { ApiError } from "../wire/errors.ts";

/** Below this, reading costs less than waiting for a turn. */
const LARGE_BYTES = 64 * 1024;
/** A waiting body is kept in memory. */
const WAITING_MAX = 40;

const REST = 3;

type Line = { last: Promise<void>; waiting: number };

const lines = () => singleton("turns", () => new Map<string, Line>());

/**
 * Does work that holds the event loop in the tenant's turn: one after another, with a rest three times as long as the one before took. So
 * whatever a tenant sends or exports, three quarters of the event loop's time are left to others.
 */
export async function runQueued<Result>(tenantId: string, work: () => Result): Promise<Result> {
  const line = lines().get(tenantId) ?? { last: Promise.resolve(), waiting: 0 };
  lines().set(tenantId, line);
  line.waiting++;
  const before = line.last;
  const { promise, resolve } = Promise.withResolvers<void>();
  line.last = promise;
  await before;
  const startedAt = performance.now();
  try {
    return work();
  } finally {
    setTimeout(
      () => {
        line.waiting--;
        if (line.waiting === 0) lines().delete(tenantId);
        resolve();
      },
      REST * (performance.now() - startedAt),
    );
  }
}

/**
 * Reads a body of `bytes`, a large one in the tenant's turn.
 * @throws ApiError `rate_limited` where too many of the tenant wait already
 */
export async function readInTurn<Result>(
  tenantId: string,
  bytes: number,
  read: () => Result,
): Promise<Result> {
  if (bytes < LARGE_BYTES) return read();
  if ((lines().get(tenantId)?.waiting ?? 0) >= WAITING_MAX) {
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
