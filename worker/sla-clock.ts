import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { log } from "#lib/runtime/log.ts";

const BATCH = 5_000;
/** A clock set meanwhile may be nearer than the next one known, so the wait never exceeds this. */
const LOOK_AGAIN_MS = 400;
/** What is due and was not moved on is held by somebody: by another worker, or by a change of the exception. */
const HELD_MS = 50;
const RETRY_MS = 1_000;
const CONNECT_WITHIN_MS = 5_000;
const TICK_WITHIN_MS = 60_000;

/** `wait_ms`: until the next boundary of any exception, less than nothing where one is due; null where none is ahead. */
type Tick = { moved: number; wait_ms: number | null };

/**
 * Moves the SLA clock on: sleeps until the next boundary of any exception, by the database's clock, and lets the database
 * tell of what was crossed. Outlives the database; any number of workers may run it.
 */
export function startSlaClock(connectionString: string): () => Promise<void> {
  const stopping = new AbortController();
  const running = keepTicking(connectionString, stopping.signal);
  return async () => {
    stopping.abort();
    await running;
  };
}

async function keepTicking(connectionString: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const client = new Client({
      connectionString,
      application_name: "sla-clock",
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      query_timeout: TICK_WITHIN_MS,
    });
    client.on("error", () => {});
    try {
      await client.connect();
      while (!signal.aborted) await pause(await tick(client), signal);
    } catch (error) {
      log.warn({ err: error }, "SLA clock waiting for the database");
      await pause(RETRY_MS, signal);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/** Answers for how many milliseconds there is nothing to do. */
async function tick(client: Client): Promise<number> {
  const { rows } = await client.query<{ tick: Tick }>("select private.tick_sla_clock($1) as tick", [BATCH]);
  const { moved, wait_ms } = rows[0]?.tick ?? { moved: 0, wait_ms: null };
  if (moved > 0) log.info({ moved }, "deadlines crossed");
  return pauseAfter({ moved, wait_ms });
}

export function pauseAfter({ moved, wait_ms }: Tick): number {
  if (wait_ms === null) return LOOK_AGAIN_MS;
  if (wait_ms <= 0) return moved > 0 ? 0 : HELD_MS;
  return Math.min(wait_ms, LOOK_AGAIN_MS);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return ms > 0 ? sleep(ms, undefined, { signal }).catch(() => {}) : Promise.resolve();
}
