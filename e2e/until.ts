import { setTimeout as sleep } from "node:timers/promises";

type Falsy = false | null | undefined | 0 | "";

/** Short pauses at first, then longer ones, because some stacks under test count calls. */
const PAUSE_MS = { first: 25, max: 100 };

/**
 * Waits for `what`: repeats `check` until it returns a truthy value. @throws Error after
 * `timeout_ms`, long enough for a busy machine
 */
export async function until<Value>(
  what: string,
  check: () => Value | Promise<Value>,
  timeout_ms = 90_000,
): Promise<Exclude<Awaited<Value>, Falsy>> {
  const startedAt = performance.now();
  for (;;) {
    const value = await check();
    if (value) return value as Exclude<Awaited<Value>, Falsy>;
    const waited_ms = performance.now() - startedAt;
    if (waited_ms > timeout_ms) throw new Error(`Waited ${timeout_ms} ms for: ${what}.`);
    await sleep(Math.min(PAUSE_MS.max, PAUSE_MS.first + waited_ms / 20));
  }
}
