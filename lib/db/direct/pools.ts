import type { Socket } from "node:net";
import { type Client, Pool, type PoolClient } from "pg";
import { env } from "../../runtime/env.ts";
import { lowerBackendPriority } from "../../runtime/lower-priority.ts";
import { durationHistogram, gauge } from "../../runtime/metrics.ts";
import { singleton } from "../../runtime/singleton.ts";
import { callLimits } from "../call-limits.ts";

/**
 * What a connection is used for. The server's own calls (verify a key, check readiness) have their
 * own connections, which tenants' calls can't exhaust, and no connection changes its role, which
 * would make Postgres plan its functions again. Searches, exports, imports and bulk changes have
 * connections whose processes in Postgres yield to those of other calls. The replica's pool serves
 * calls that may lag.
 */
export type PoolKind = "tenants" | "long" | "service" | "replica";

/** Connections of one process, by the limits on concurrent calls. */
const sizes = (processes: number): Record<PoolKind, number> => {
  const { total, maxLong } = callLimits(processes);
  return {
    tenants: total - maxLong,
    long: maxLong,
    service: Math.max(2, 4 / processes),
    replica: total,
  };
};
const CONNECTED_TIMEOUT_MS = 10_000;
/** An idle connection is kept for 5 minutes, because it has cached the plans of its functions. */
const IDLE_MS = 5 * 60_000;
/** After the database's address changes, no connection to the old one is older than an hour. */
const LIFETIME_SECONDS = 60 * 60;

/**
 * Takes a connection from the pool; the caller releases it. @throws Error if none is free within 10
 * s.
 */
export async function connect(kind: PoolKind): Promise<PoolClient> {
  const waited = waits.startTimer({ pool: kind });
  try {
    return await pools()[kind].connect();
  } finally {
    waited();
  }
}

const waits = durationHistogram({
  name: "tieout_pool_wait_seconds",
  help: "How long calls waited for a connection to the database.",
  labels: ["pool"],
});

/**
 * The pools stay open until the process exits, because counters write through them during shutdown.
 */
const pools = () =>
  singleton("request-database", (): Record<PoolKind, Pool> => {
    const byKind = {
      tenants: makePool("tenants"),
      long: makePool("long"),
      service: makePool("service"),
      replica: makePool("replica"),
    };
    const used = Object.entries(byKind).filter(
      ([kind]) => kind !== "replica" || env().REPLICA_DATABASE_URL,
    );
    const each = (read: (pool: Pool) => number) => () =>
      Object.fromEntries(used.map(([kind, pool]) => [kind, read(pool)]));
    const common = { label: "pool" };
    gauge(
      { ...common, name: "tieout_pool_connections", help: "Open connections for requests." },
      each((pool) => pool.totalCount),
    );
    gauge(
      { ...common, name: "tieout_pool_idle", help: "Those of them that are idle." },
      each((pool) => pool.idleCount),
    );
    gauge(
      { ...common, name: "tieout_pool_waiting", help: "Calls that wait for a connection." },
      each((pool) => pool.waitingCount),
    );
    return byKind;
  });

function makePool(kind: PoolKind): Pool {
  const pool = new Pool({
    connectionString: kind === "replica" ? env().REPLICA_DATABASE_URL : env().REQUEST_DATABASE_URL,
    max: sizes(env().WEB_CONCURRENCY)[kind],
    connectionTimeoutMillis: CONNECTED_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_MS,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    keepAlive: true,
  });
  // A lost connection fails its call and leaves the pool, so its error event needs no handling.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  if (kind === "long") pool.on("connect", yieldToOthers);
  return pool;
}

/** Lowers the priority of a connection's process in Postgres, where that is on this machine. */
function yieldToOthers(client: PoolClient): void {
  const { processID, connection } = client as unknown as Client & { processID: number };
  const { localPort } = connection.stream as Socket;
  if (localPort) lowerBackendPriority(processID, localPort);
}
