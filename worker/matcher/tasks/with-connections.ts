import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { lowerBackendPriority } from "#lib/runtime/lower-priority.ts";
import { PRODUCT_ID } from "#lib/wire/product.ts";

/** How long to wait for connections to close: one whose peer is gone may take hours. */
const CLOSE_TIMEOUT_MS = 1_000;
/**
 * Delay of the first TCP keep-alive probe, two hours by default. After ten probes, a second apart,
 * the system gives up.
 */
const KEEP_ALIVE_DELAY_MS = 10_000;

/**
 * Opens two connections for a job that takes longer than a pooled connection may be held: `main`
 * does the work, `side` reports progress. What they write is attributed to the request `requestId`,
 * if there is one. Both are closed when `work` ends or throws. Their processes in Postgres yield to
 * those of requests.
 */
export async function withConnections(
  connectionString: string,
  { name, requestId }: { name: string; requestId: string | null },
  work: (main: Client, side: Client) => Promise<void>,
): Promise<void> {
  const both = [
    connection(connectionString, name),
    connection(connectionString, `${name} progress`),
  ] as const;
  const [main, side] = both;
  try {
    await Promise.all(both.map((client) => client.connect()));
    await Promise.all(both.map((client) => prepare(client, requestId)));
    await work(main, side);
  } finally {
    await Promise.race([
      Promise.allSettled(both.map((client) => client.end())),
      sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false }),
    ]);
  }
}

async function prepare(client: Client, requestId: string | null): Promise<void> {
  const { rows } = await client.query<{ pid: number }>(
    "select pg_backend_pid() as pid, set_config('app.request_id', $1, false)",
    [requestId ?? ""],
  );
  const { localPort } = client.connection.stream as Socket;
  if (rows[0] && localPort) lowerBackendPriority(rows[0].pid, localPort);
}

function connection(connectionString: string, name: string): Client {
  const client = new Client({
    connectionString,
    application_name: `${PRODUCT_ID} ${name}`,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
  });
  client.on("error", () => {});
  return client;
}
