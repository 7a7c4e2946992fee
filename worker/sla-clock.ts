import { Loop, type Query } from "#lib/background/loop.ts";
import { log } from "#lib/runtime/log.ts";

const BATCH = 5_000;
/** A clock set meanwhile may be nearer than the next one known, so the wait never exceeds this. */
const LOOK_AGAIN_MS = 400;
/** What is due and was not moved on is held by somebody: by another worker, or by a change of the exception. */
const HELD_MS = 50;
const STATEMENT_TIMEOUT_MS = 60_000;

/** `wait_ms`: until the next boundary of any exception, less than nothing where one is due; null where none is ahead. */
type Tick = { moved: number; wait_ms: number | null };

/**
 * Moves the SLA clock on: sleeps until the next boundary of any exception, by the database's clock, and lets the database
 * report what was crossed. Any number of workers may run it.
 */
export function startSlaClock(connectionString: string): Loop {
  return new Loop({
    name: "sla-clock",
    connectionString,
    statementWithinMs: STATEMENT_TIMEOUT_MS,
    turn: tick,
  });
}

async function tick(query: Query): Promise<number> {
  const { rows } = await query<{ tick: Tick }>("select private.tick_sla_clock($1) as tick", [
    BATCH,
  ]);
  const { moved, wait_ms } = rows[0]?.tick ?? { moved: 0, wait_ms: null };
  if (moved > 0) log.info({ moved }, "deadlines crossed");
  return pauseAfter({ moved, wait_ms });
}

export function pauseAfter({ moved, wait_ms }: Tick): number {
  if (wait_ms === null) return LOOK_AGAIN_MS;
  if (wait_ms <= 0) return moved > 0 ? 0 : HELD_MS;
  return Math.min(wait_ms, LOOK_AGAIN_MS);
}
