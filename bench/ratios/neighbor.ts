/** How much the long work of one tenant slows down another. */
import { setTimeout as sleep } from "node:timers/promises";
import { quantile, type Side } from "./rates.ts";
import type { Finding } from "./report.ts";

/** The pause between two calls: an analyst's board, not a flood. */
const PAUSE_MS = 20;
const MAX_RATIO = 2;

/** Makes one call at a time until `end` resolves. @returns the milliseconds of each */
export async function timesUntil({ once }: Side, end: Promise<unknown>): Promise<number[]> {
  let over = false;
  const ended = end.finally(() => {
    over = true;
  });
  const times: number[] = [];
  while (!over) {
    const startedAt = performance.now();
    await once();
    times.push(performance.now() - startedAt);
    await sleep(PAUSE_MS);
  }
  await ended;
  return times;
}

/** The p99 during the work, relative to the p99 without it. */
export function slowdown(work: string, during: number[], alone: number[]): Finding {
  const format = (times: number[]) =>
    `p50 ${quantile(times, 0.5).toFixed(1)}, p99 ${quantile(times, 0.99).toFixed(1)} ms of ${times.length}`;
  const ratio = quantile(during, 0.99) / quantile(alone, 0.99);
  return {
    name: `p99 of another tenant's board during ${work}`,
    ours: format(during),
    against: `alone: ${format(alone)}`,
    figure: ratio.toFixed(2),
    target: `≤ ${MAX_RATIO}`,
    met: ratio <= MAX_RATIO,
  };
}
