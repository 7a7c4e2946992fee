import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";

const CONNECT_TIMEOUT_MS = 5_000;
const LISTEN_TIMEOUT_MS = 3_000;
const NOTIFY_INTERVAL_MS = 250;

/**
 * Whether a notification sent on one connection reaches a LISTEN on another. Through a pooler in
 * transaction mode it doesn't, because the listening server connection is shared. @throws if there
 * is no connection.
 */
export async function supportsListen(connectionString: string): Promise<boolean> {
  const options = {
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
  };
  const [listener, notifier] = [new Client(options), new Client(options)];
  const channel = `probe_${randomBytes(8).toString("hex")}`;
  let received = false;
  listener.on("notification", (message) => {
    received ||= message.channel === channel;
  });
  for (const client of [listener, notifier]) client.on("error", () => {});
  try {
    await Promise.all([listener.connect(), notifier.connect()]);
    await listener.query(`listen ${channel}`);
    for (
      const deadline = performance.now() + LISTEN_TIMEOUT_MS;
      !received && performance.now() < deadline;
    ) {
      await notifier.query("select pg_notify($1, '')", [channel]);
      for (let waited = 0; !received && waited < NOTIFY_INTERVAL_MS; waited += 5) await sleep(5);
    }
    return received;
  } finally {
    await Promise.all([listener, notifier].map((client) => client.end().catch(() => {})));
  }
}
