import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "../../request/context.ts";
import { singleton } from "../../runtime/singleton.ts";

/** A waiting call uses a database connection for about 2 ms in each interval. */
const POLL_INTERVAL_MS = 1_000;
/**
 * The maximum polls per second by one tenant's waiting calls in one process. More than twenty calls
 * poll less often instead of being answered at once, since they would call again at once.
 */
const MAX_POLLS_PER_SECOND = 20;

type Waiting = Pick<Context, "tenantId" | "waited" | "callerLeft">;

/**
 * Calls `poll` at intervals until it returns true, for `waitMs` at most. Ends early if the caller
 * has left, or the process shuts down, so that it doesn't wait for its calls.
 */
export async function pollUntil(
  { tenantId, waited, callerLeft }: Waiting,
  waitMs: number,
  poll: () => Promise<boolean>,
): Promise<void> {
  const { counts, end } = waits();
  const left = callerLeft();
  const stop = AbortSignal.any([end, left]);
  const until = performance.now() + waitMs;
  const count = () => counts.get(tenantId) ?? 0;
  counts.set(tenantId, count() + 1);
  try {
    while (performance.now() < until && !stop.aborted) {
      const pausedAt = performance.now();
      const pause = POLL_INTERVAL_MS * Math.max(1, count() / MAX_POLLS_PER_SECOND);
      // Rounded up: a timer drops fractions, and would end just before the last poll is due.
      const sleepMs = Math.ceil(Math.min(pause, until - pausedAt));
      await sleep(sleepMs, undefined, { signal: stop }).catch(() => {});
      waited.ms += performance.now() - pausedAt;
      if (left.aborted || (await poll())) return;
    }
  } finally {
    if (count() > 1) counts.set(tenantId, count() - 1);
    else counts.delete(tenantId);
  }
}

const waits = () =>
  singleton("event-waits", () => {
    const controller = new AbortController();
    for (const end of ["SIGTERM", "disconnect"] as const)
      process.once(end, () => controller.abort());
    return { counts: new Map<string, number>(), end: controller.signal };
  });
