import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "../../request/context.ts";
import { singleton } from "../../runtime/singleton.ts";

/** A waiting call uses a database connection for about 2 ms in each interval. */
const LOOK_EVERY_MS = 1_000;
/**
 * How often the waiting calls of one tenant look in one process, all together. More than twenty
 * look less often instead of being answered at once, since they would call again at once.
 */
const LOOKS_PER_SECOND_MAX = 20;

type Waiting = Pick<Context, "tenantId" | "waited" | "callerLeft">;

/**
 * Calls `look` at intervals until it returns true, for `waitMs` at most. Ends early if the caller
 * has left, or the process shuts down, so that it doesn't wait for its calls.
 */
export async function lookAgain(
  { tenantId, waited, callerLeft }: Waiting,
  waitMs: number,
  look: () => Promise<boolean>,
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
      const pause = LOOK_EVERY_MS * Math.max(1, count() / LOOKS_PER_SECOND_MAX);
      // Rounded up: a timer drops fractions, and would end just before the last look is due.
      const sleepMs = Math.ceil(Math.min(pause, until - pausedAt));
      await sleep(sleepMs, undefined, { signal: stop }).catch(() => {});
      waited.ms += performance.now() - pausedAt;
      if (left.aborted || (await look())) return;
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
