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
    const { owner } = await startPostgres(readSettings({ DATA_DIR: directory }));
    await runMigrations({ connectionString: owner });
    return await work(async () => {
      const database = await createDatabase(owner, `fresh_${clients.length}`, "postgres");
      clients.push(database.client);
      return database;
    });
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    await stopParts();
    rmSync(directory, { recursive: true });
  }
}

/** Creates a database on the server of `url` from a template that nobody is connected to. */
export async function createDatabase(
  url: string,
  name: string,
  template: string,
): Promise<FreshDatabase> {
  const maker = await connect(withDatabase(url, "template1"));
  await maker.query(`create database ${name} template ${template}`).finally(() => maker.end());
  const created = withDatabase(url, name);
  return { url: created, client: await connect(created) };
}

/** Connects to a database. */
async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  // The server may close a connection before we do.
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** The URL of another database of the same server. */
function withDatabase(url: string, name: string): string {
  const named = new URL(url);
  named.pathname = `/${name}`;
  return named.href;
}
