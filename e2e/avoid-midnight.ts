import { setTimeout as sleep } from "node:timers/promises";

const DAY_MS = 86_400_000;

/**
 * Waits until after midnight (UTC) if it is less than two minutes away, so that tests write and
 * read daily counts on the same day.
 */
export async function avoidMidnight(): Promise<void> {
  const left_ms = DAY_MS - (Date.now() % DAY_MS);
  if (left_ms < 120_000) await sleep(left_ms + 100);
}
