import { readdirSync, readFileSync } from "node:fs";
import { runMigrations } from "graphile-worker";
import { Client } from "pg";
import { isFromBefore, moveToBaseline } from "./before-baseline.ts";

const FOLDER = new URL("../migrations/", import.meta.url);
const SEED = new URL("../seed.sql", import.meta.url);
const SEED_PATH = "supabase/seed.sql";
const LOCK = "select pg_advisory_lock(hashtext('tieout migrations'))";

/** The migration history has the Supabase CLI's form, so that `supabase migration list` reads it. */
const HISTORY = `
create schema if not exists supabase_migrations;
create table if not exists supabase_migrations.schema_migrations (version text primary key, statements text[], name text);
create table if not exists supabase_migrations.seed_files (path text primary key, hash text not null)`;

export type Migration = { version: string; name: string; file: URL };

/** In their order. The first is the baseline. */
export function migrations(): Migration[] {
  return readdirSync(FOLDER)
    .sort()
    .flatMap((file) => {
      const [, version, name] = /^(\d{14})_(.+)\.sql$/.exec(file) ?? [];
      return version && name ? [{ version, name, file: new URL(file, FOLDER) }] : [];
    });
}

/** Applies the pending migrations, each in its own transaction, and returns their names. */
export function migrate(databaseUrl: string): Promise<string[]> {
  return locked(databaseUrl, async (client) => {
    await runMigrations({ connectionString: databaseUrl });
    const { rows } = await client.query<{ version: string }>("select version from supabase_migrations.schema_migrations");
    const applied = new Set(rows.map(({ version }) => version));
    const pending = migrations().filter(({ version }) => !applied.has(version));
    const fromBefore = isFromBefore(applied);
    for (const [index, migration] of pending.entries()) {
      await apply(client, migration, (sql) => (index === 0 && fromBefore ? moveToBaseline(client, sql) : client.query(sql)));
    }
    return pending.map(({ version, name }) => `${version}_${name}`);
  });
}

/** Runs seed.sql on a database that never had it. Returns whether it did. */
export function seed(databaseUrl: string): Promise<boolean> {
  return locked(databaseUrl, async (client) => {
    const marker = "insert into supabase_migrations.seed_files (path, hash) values ($1, md5($2)) on conflict do nothing";
    const sql = readFileSync(SEED, "utf8");
    return transaction(client, SEED_PATH, async () => {
      const { rowCount } = await client.query(marker, [SEED_PATH, sql]);
      if (rowCount) await client.query(sql);
      return rowCount === 1;
    });
  });
}

async function apply(client: Client, { version, name, file }: Migration, run: (sql: string) => Promise<unknown>): Promise<void> {
  const sql = readFileSync(file, "utf8");
  await transaction(client, `${version}_${name}`, async () => {
    await run(sql);
    await client.query("insert into supabase_migrations.schema_migrations (version, statements, name) values ($1, $2, $3)", [
      version,
      [sql],
      name,
    ]);
  });
}

async function transaction<T>(client: Client, what: string, work: () => Promise<T>): Promise<T> {
  await client.query("begin");
  try {
    const result = await work();
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback");
    throw new Error(`${what}: ${describe(error)}`, { cause: error });
  }
}

function describe(error: unknown): string {
  const { message, position, where, detail } = error as { message: string; position?: string; where?: string; detail?: string };
  return [message, detail, position && `at character ${position}`, where].filter(Boolean).join("; ");
}

async function locked<T>(databaseUrl: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(LOCK);
    await client.query(HISTORY);
    return await work(client);
  } finally {
    await client.end();
  }
}
