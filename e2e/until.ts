import { setTimeout as sleep } from "node:timers/promises";

type Falsy = false | null | undefined | 0 | "";

/** At first a moment, then longer: some stacks under test count calls. */
const PAUSE_MS = { first: 25, max: 100 };

/** Waits for `what`: calls `check` until it answers something true. @throws Error after `within_ms`, which is a busy machine's time. */
export async function until<Value>(
  what: string,
  check: () => Value | Promise<Value>,
  within_ms = 90_000,
): Promise<Exclude<Awaited<Value>, Falsy>> {
  const startedAt = performance.now();
  for (;;) {
    const value = await check();
    if (value) return value as Exclude<Awaited<Value>, Falsy>;
    const waited_ms = performance.now() - startedAt;
    if (waited_ms > within_ms) throw new Error(`Waited ${within_ms} ms in vain: ${what}.`);
    await sleep(Math.min(PAUSE_MS.max, PAUSE_MS.first + waited_ms / 20));
  }
}
