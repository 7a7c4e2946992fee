"use client";

import { useSyncExternalStore } from "react";

const TICK_MS = 1000;

/**
 * The database's time: the last response's, plus the monotonic time since. Null before the first
 * response.
 */
let offsetMs: number | null = null;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Sets the clock from a response's `as_of`. */
export function setServerClock(asOf: string): void {
  offsetMs = Date.parse(asOf) - performance.now();
}

/** Sets the clock from the first paint, until a response arrives that can be timed. */
export function startServerClock(asOf: string): void {
  if (offsetMs === null) setServerClock(asOf);
}

/** The current server time, for one-off calculations. */
export function serverNow(): number {
  return offsetMs === null ? Date.now() : performance.now() + offsetMs;
}

/**
 * A value computed from the server's time every second; the caller rerenders only when it changes.
 * `asOf` is the time during server rendering and until the clock is set.
 */
export function useServerTime<Value extends string | number>(
  select: (nowMs: number) => Value,
  asOf: string,
): Value {
  const atFirst = () => select(Date.parse(asOf));
  return useSyncExternalStore(
    subscribe,
    () => (offsetMs === null ? atFirst() : select(performance.now() + offsetMs)),
    atFirst,
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const notify of listeners) notify();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
