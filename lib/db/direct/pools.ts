import { Pool, type PoolClient } from "pg";
import { env } from "../../runtime/env.ts";
import { durations, figure } from "../../runtime/metrics.ts";
import { singleton } from "../../runtime/singleton.ts";
import { concurrencyFor } from "../concurrency-limiter.ts";

/**
 * Whom a connection serves. The server's own calls (who is behind a key, is the database there) have connections that no tenant's can
 * take; and Postgres plans a function again where its connection changes to another role. A replica has those of what may lag.
 */
export type Kind = "tenants" | "service" | "replica";

/** Of one process: as many as the lanes let through at once, and a few more. */
const sizes = (processes: number): Record<Kind, number> => ({
  tenants: concurrencyFor(processes).total,
  service: Math.max(2, 4 / processes),
  replica: concurrencyFor(processes).total,
});
const CONNECTED_TIMEOUT_MS = 10_000;
/** A connection has learned the plans of what it called. */
const IDLE_MS = 5 * 60_000;
/** Behind a change of the database's address, all are gone after this. */
const LIFETIME_SECONDS = 60 * 60;

/** A connection to call functions with, of its own for the while. @throws Error where none is to be had within 10 s. */
export async function connect(kind: Kind): Promise<PoolClient> {
  const waited = waits.startTimer({ pool: kind });
  try {
    return await pools()[kind].connect();
  } finally {
    waited();
  }
}

const waits = durations({
  name: "tieout_pool_wait_seconds",
  help: "How long calls waited for a connection to the database.",
  labels: ["pool"],
});

/** They end with the process: what counts in memory writes through them until then. */
const pools = () =>
  singleton("request-database", (): Record<Kind, Pool> => {
    const made = {
      tenants: makePool("tenants"),
      service: makePool("service"),
      replica: makePool("replica"),
    };
    const shown = Object.entries(made).filter(
      ([kind]) => kind !== "replica" || env().REPLICA_DATABASE_URL,
    );
    const each = (read: (pool: Pool) => number) => () =>
      Object.fromEntries(shown.map(([kind, pool]) => [kind, read(pool)]));
    const common = { label: "pool" };
    figure(
      { ...common, name: "tieout_pool_connections", help: "Open connections for requests." },
      each((pool) => pool.totalCount),
    );
    figure(
      { ...common, name: "tieout_pool_idle", help: "Those of them that are idle." },
      each((pool) => pool.idleCount),
    );
    figure(
      { ...common, name: "tieout_pool_waiting", help: "Calls that wait for a connection." },
      each((pool) => pool.waitingCount),
    );
    return made;
  });

function makePool(kind: Kind): Pool {
  const pool = new Pool({
    connectionString: kind === "replica" ? env().REPLICA_DATABASE_URL : env().REQUEST_DATABASE_URL,
    max: sizes(env().WEB_CONCURRENCY)[kind],
    connectionTimeoutMillis: CONNECTED_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_MS,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    keepAlive: true,
  });
  // A connection that was lost fails its call, and the pool lets go of it.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}
