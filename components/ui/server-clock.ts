"use client";

import { useSyncExternalStore } from "react";

const TICK_MS = 1000;

/** The database's time: its last answer plus what has passed since by a clock that nobody can set. Null before the first answer. */
let offsetMs: number | null = null;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Sets the clock by an answer's `as_of`, as it arrives. */
export function setServerClock(asOf: string): void {
  offsetMs = Date.parse(asOf) - performance.now();
}

/** Sets the clock by the page's first paint, until an answer arrives that can be timed. */
export function startServerClock(asOf: string): void {
  if (offsetMs === null) setServerClock(asOf);
}

/** For what is reckoned once, where nothing is shown that ticks. */
export function serverNow(): number {
  return offsetMs === null ? Date.now() : performance.now() + offsetMs;
}

/**
 * A value of the server's time, anew each second; the caller renders again only when the value changes.
 * `asOf` stands for the present on the server and until the clock is set.
 */
export function useServerTime<Value extends string | number>(select: (nowMs: number) => Value, asOf: string): Value {
  const atFirst = () => select(Date.parse(asOf));
  return useSyncExternalStore(subscribe, () => (offsetMs === null ? atFirst() : select(performance.now() + offsetMs)), atFirst);
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
