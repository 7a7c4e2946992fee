import { Client } from "pg";

/**
 * Opens two connections for a job that works longer than a pool's may be held: on `main` it works, on `side` it tells how far it is.
 * Both are ended whatever `work` does.
 */
export async function withConnections(
  connectionString: string,
  name: string,
  work: (main: Client, side: Client) => Promise<void>,
): Promise<void> {
  const [main, side] = [connection(connectionString, name), connection(connectionString, `${name} progress`)];
  try {
    await Promise.all([main.connect(), side.connect()]);
    await work(main, side);
  } finally {
    await Promise.allSettled([main.end(), side.end()]);
  }
}

function connection(connectionString: string, name: string): Client {
  const client = new Client({ connectionString, application_name: name, connectionTimeoutMillis: 5_000, keepAlive: true });
  client.on("error", () => {});
  return client;
}
