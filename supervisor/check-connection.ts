import { Client, type ClientConfig } from "pg";

const CONNECT_TIMEOUT_MS = 10_000;

/** Lends a connection of its own to `work`, and ends it after, whatever comes of it. @throws Error where there is none within 10 s. */
export async function connected<Result>(
  connectionString: string,
  work: (client: Client) => Promise<Result>,
  options: Pick<ClientConfig, "application_name"> = {},
): Promise<Result> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...options,
  });
  // What is lost fails the query that waits for it.
  client.on("error", () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}
