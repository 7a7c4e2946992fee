import { Pool, type PoolClient } from "pg";
import { env } from "../../runtime/env.ts";
import { processWide } from "../../runtime/process-wide.ts";
import { widthFor } from "../lanes.ts";

/**
 * Whom a connection serves. The server's own calls (who is behind a key, is the database there) have connections that no tenant's can
 * take; and Postgres plans a function anew where its connection changes to another role.
 */
export type Kind = "tenants" | "service";

/** Of one process: as many as the lanes let through at once, and a few beside. */
const sizes = (processes: number): Record<Kind, number> => ({ tenants: widthFor(processes).total, service: Math.max(2, 4 / processes) });
const CONNECTED_WITHIN_MS = 10_000;
/** A connection has learned the plans of what it called. */
const IDLE_MS = 5 * 60_000;
/** Behind a change of the database's address, all are gone after this. */
const LIFETIME_SECONDS = 60 * 60;

/** A connection to call functions with, of its own for the while. @throws Error where none is to be had within 10 s. */
export function connect(kind: Kind): Promise<PoolClient> {
  return pools()[kind].connect();
}

/** They end with the process: what counts in memory writes through them until then. */
const pools = () =>
  processWide("request-database", (): Record<Kind, Pool> => ({ tenants: makePool("tenants"), service: makePool("service") }));

function makePool(kind: Kind): Pool {
  const pool = new Pool({
    connectionString: env().REQUEST_DATABASE_URL,
    max: sizes(env().WEB_CONCURRENCY)[kind],
    connectionTimeoutMillis: CONNECTED_WITHIN_MS,
    idleTimeoutMillis: IDLE_MS,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    keepAlive: true,
  });
  // A connection that was lost fails its call, and the pool lets go of it.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}
