import { Loop, type Query } from "#lib/background/loop.ts";
import { log } from "#lib/runtime/log.ts";

const BATCH_SIZE = 5_000;
/** The maximum wait, because a clock that is set during the wait may be due earlier. */
const MAX_WAIT_MS = 400;
/** The wait while due exceptions are locked by another worker or by a change. */
const LOCKED_WAIT_MS = 50;
const STATEMENT_TIMEOUT_MS = 60_000;

/**
 * `wait_ms` is the time until the next boundary of any exception, negative if one is due, or null
 * if there is none.
 */
type Tick = { moved: number; wait_ms: number | null };

/**
 * Advances the SLA clock: sleeps until the next boundary of any exception, by the database's clock,
 * and then lets the database report the crossed thresholds. Any number of workers may run it.
 */
export function startSlaClock(connectionString: string): Loop {
  return new Loop({
    name: "sla-clock",
    connectionString,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    turn: tick,
  });
}

async function tick(query: Query): Promise<number> {
  const { rows } = await query<{ tick: Tick }>("select private.tick_sla_clock($1) as tick", [
    BATCH_SIZE,
  ]);
  const { moved, wait_ms } = rows[0]?.tick ?? { moved: 0, wait_ms: null };
  if (moved > 0) log.info({ moved }, "deadlines crossed");
  return pauseAfter({ moved, wait_ms });
}

/** Milliseconds until the next tick. */
export function pauseAfter({ moved, wait_ms }: Tick): number {
  if (wait_ms === null) return MAX_WAIT_MS;
  if (wait_ms <= 0) return moved > 0 ? 0 : LOCKED_WAIT_MS;
  return Math.min(wait_ms, MAX_WAIT_MS);
}
