import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runMigrations } from "graphile-worker";
import { Client } from "pg";
import { stopParts } from "../../../supervisor/child-process.ts";
import { logProblemsOnly } from "../../../supervisor/log.ts";
import { readSettings } from "../../../supervisor/settings.ts";
import { startPostgres } from "../../../supervisor/stack.ts";

/**
 * A database with the platform and graphile_worker, but none of our schemas, and a connection as
 * its owner.
 */
export type FreshDatabase = { url: string; client: Client };
export type CreateDatabase = () => Promise<FreshDatabase>;

/** Creates fresh databases on demand and deletes them afterwards. */
export async function withFreshDatabases<Result>(
  work: (fresh: CreateDatabase) => Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), "tieout-generate-"));
  const clients: Client[] = [];
  logProblemsOnly();
  try {
    const { owner, superuser } = await startPostgres(readSettings({ DATA_DIR: directory }));
    await runMigrations({ connectionString: owner });
    return await work(async () => {
      const name = `fresh_${clients.length}`;
      const maker = await connect(withDatabase(superuser, "template1"));
      await maker
        .query(`create database ${name} template postgres owner postgres`)
        .finally(() => maker.end());
      const url = withDatabase(owner, name);
      const client = await connect(url);
      clients.push(client);
      return { url, client };
    });
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    await stopParts();
    rmSync(directory, { recursive: true });
  }
}

/** Connects to a database. */
export async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  // The server may close a connection before we do.
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** The URL of another database of the same server. */
export function withDatabase(url: string, name: string): string {
  const named = new URL(url);
  named.pathname = `/${name}`;
  return named.href;
}
