import { Client, type ClientConfig } from "pg";

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Runs `work` with a new connection and closes it afterwards.
 * @throws Error if the connection takes longer than 10 s
 */
export async function withConnection<Result>(
  connectionString: string,
  work: (client: Client) => Promise<Result>,
  options: Pick<ClientConfig, "application_name"> = {},
): Promise<Result> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...options,
  });
  // A lost connection fails the running query, so the event needs no handling.
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}
