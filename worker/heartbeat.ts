import { Pool } from "pg";
import { log } from "#lib/runtime/log.ts";

const EVERY_MS = 5_000;
const SILENCE_MS = 30_000;
const GIVE_UP_MS = 4_000;

const BEAT = "select private.beat($1)";
const FREE_JOBS_OF_THE_DEAD = `select graphile_worker.force_unlock_workers(array_agg(pool)), array_agg(pool) as pools
  from private.bury_silent_pools() as pool having count(*) > 0`;

/** Shows that this worker lives, and frees the jobs of workers that fell silent. @returns a function that ends it. */
export function startHeartbeat(connectionString: string, workerPoolId: string): () => void {
  // A separate connection: busy tasks must not make a live worker look dead.
  const database = new Pool({ connectionString, max: 1, connectionTimeoutMillis: GIVE_UP_MS, query_timeout: GIVE_UP_MS });
  database.on("error", () => {});
  let beatingSince: number | undefined;

  const beat = async () => {
    try {
      await database.query(BEAT, [workerPoolId]);
      beatingSince ??= performance.now();
      // After an outage of the database everyone seems dead: first let the living beat.
      if (performance.now() - beatingSince < SILENCE_MS) return;
      const { rows } = await database.query<{ pools: string[] }>(FREE_JOBS_OF_THE_DEAD);
      if (rows[0]) log.warn({ pools: rows[0].pools }, "released jobs of unresponsive workers");
    } catch (error) {
      beatingSince = undefined;
      log.warn({ reason: (error as Error).message }, "heartbeat failed");
    }
  };

  let next: NodeJS.Timeout;
  const loop = async () => {
    await beat();
    next = setTimeout(loop, EVERY_MS);
  };
  loop();
  return () => clearTimeout(next);
}
