import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";

/** Of no use once work is over: a connection whose other end is gone may take hours to end. */
const END_WITHIN_MS = 1_000;
/** Without it the system asks a silent connection's other end after two hours. It gives up after ten questions, a second apart. */
const ASK_AFTER_MS = 10_000;

/**
 * Opens two connections for a job that works longer than a pool's may be held: on `main` it works, on `side` it tells how far it is.
 * What either writes is of the request `requestId`, where there is one. Both are ended whatever `work` does.
 */
export async function withConnections(
  connectionString: string,
  { name, requestId }: { name: string; requestId: string | null },
  work: (main: Client, side: Client) => Promise<void>,
): Promise<void> {
  const both = [connection(connectionString, name), connection(connectionString, `${name} progress`)] as const;
  const [main, side] = both;
  try {
    await Promise.all(both.map((client) => client.connect()));
    await Promise.all(both.map((client) => client.query("select set_config('tieout.request_id', $1, false)", [requestId ?? ""])));
    await work(main, side);
  } finally {
    await Promise.race([Promise.allSettled(both.map((client) => client.end())), sleep(END_WITHIN_MS, undefined, { ref: false })]);
  }
}

function connection(connectionString: string, name: string): Client {
  const client = new Client({
    connectionString,
    application_name: name,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: ASK_AFTER_MS,
  });
  client.on("error", () => {});
  return client;
}
