import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";

const CONNECT_TIMEOUT_MS = 5_000;
const LISTEN_TIMEOUT_MS = 3_000;
const NOTIFY_INTERVAL_MS = 250;

/**
 * Whether what one connection listens for reaches it when another notifies: not through a pooler in transaction mode, where what
 * is listened for is a server connection that others use meanwhile. @throws where there is no connection.
 */
export async function supportsListen(connectionString: string): Promise<boolean> {
  const options = {
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  };
  const [listener, speaker] = [new Client(options), new Client(options)];
  const channel = `tieout_probe_${randomBytes(8).toString("hex")}`;
  let heard = false;
  listener.on("notification", (message) => {
    heard ||= message.channel === channel;
  });
  for (const client of [listener, speaker]) client.on("error", () => {});
  try {
    await Promise.all([listener.connect(), speaker.connect()]);
    await listener.query(`listen ${channel}`);
    for (
      const deadline = performance.now() + LISTEN_TIMEOUT_MS;
      !heard && performance.now() < deadline;
    ) {
      await speaker.query("select pg_notify($1, '')", [channel]);
      for (let waited = 0; !heard && waited < NOTIFY_INTERVAL_MS; waited += 5) await sleep(5);
    }
    return heard;
  } finally {
    await Promise.all([listener, speaker].map((client) => client.end().catch(() => {})));
  }
}
