import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { runMigrations } from "graphile-worker";
import { Client } from "pg";
import { PRODUCT, PRODUCT_ID } from "#lib/wire/product.ts";

const FOLDER = new URL("../migrations/", import.meta.url);
const SEED = new URL("../seed.sql", import.meta.url);
const SEED_PATH = "supabase/seed.sql";
const LOCK_KEY = "hashtext('tieout migrations')::bigint";
/** The newest migration that the baseline replaces, and a commit that applies them all. */
const REPLACED = { newest: "20261126015851", commit: "b948a13" };
const TRY_EVERY_MS = 250;
const LOG_INTERVAL_MS = 10_000;
const HOLDER = `select a.pid, nullif(a.application_name, '') as name,
    host(a.client_addr) as address, a.backend_start::timestamptz(0)::text as since
  from pg_locks l join pg_stat_activity a using (pid)
  where l.locktype = 'advisory' and l.granted and l.objsubid = 1
    and (l.classid::bigint << 32 | l.objid::bigint) = ${LOCK_KEY}`;

/**
 * The migration history has the Supabase CLI's form, so that `supabase migration list` reads it.
 */
const HISTORY = `
create schema if not exists supabase_migrations;
create table if not exists supabase_migrations.schema_migrations (version text primary key,
  statements text[], name text);
create table if not exists supabase_migrations.seed_files (path text primary key,
  hash text not null)`;

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

/** The known migrations that a database lacks; and those it has that are unknown here. */
export type MigrationState = { pending: Migration[]; unknown: string[] };

export async function migrationState(client: Client): Promise<MigrationState> {
  const history = "to_regclass('supabase_migrations.schema_migrations')";
  const { rows } = await client.query<{ there: boolean }>(`select ${history} is not null as there`);
  return stateOf(rows[0]?.there ? await appliedVersions(client) : new Set());
}

async function appliedVersions(client: Client): Promise<Set<string>> {
  const { rows } = await client.query<{ version: string }>(
    "select version from supabase_migrations.schema_migrations order by version",
  );
  return new Set(rows.map(({ version }) => version));
}

/** A database with all migrations that the baseline replaces has the baseline. */
function stateOf(applied: ReadonlySet<string>): MigrationState {
  const known = migrations();
  const versions = new Set(known.map(({ version }) => version));
  const hasBaseline = applied.has(REPLACED.newest);
  return {
    pending: known.filter(({ version }, at) => !applied.has(version) && !(at === 0 && hasBaseline)),
    unknown: [...applied].filter(
      (version) => !versions.has(version) && !(hasBaseline && isReplaced(version)),
    ),
  };
}

function isReplaced(version: string): boolean {
  return version <= REPLACED.newest;
}

/**
 * Records the baseline on a database that has the migrations it replaces.
 * @throws Error if it has only some of them: the others no longer exist
 */
async function recordBaseline(client: Client, applied: ReadonlySet<string>): Promise<void> {
  const [baseline] = migrations();
  if (!baseline || applied.has(baseline.version) || ![...applied].some(isReplaced)) return;
  if (!applied.has(REPLACED.newest))
    throw new Error(
      "This database was last started with an older commit. " +
        `Start ${REPLACED.commit} on it once, then this one.`,
    );
  await transaction(client, nameOf(baseline), async () => {
    await client.query("delete from supabase_migrations.schema_migrations where version <= $1", [
      REPLACED.newest,
    ]);
    await client.query(
      "insert into supabase_migrations.schema_migrations (version, name) values ($1, $2)",
      [baseline.version, baseline.name],
    );
  });
}

export type MigrateOptions = {
  /** Called every 10 s with the reason of the wait. */
  onWait?: (reason: string) => void;
  giveUpAfterMs?: number;
  /**
   * Refuses a database with migrations that are not known here. A start does not: the previous
   * release runs next to the new one.
   */
  refuseUnknown?: boolean;
};

/**
 * Applies the pending migrations, each in its own transaction, and returns their names. Only one
 * call runs at a time, wherever it is started.
 * @throws LockHeld after `giveUpAfterMs` (5 minutes), UnknownMigrations if those are refused.
 */
export function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const { onWait = console.error, giveUpAfterMs = 300_000, refuseUnknown = false } = options;
  return locked(databaseUrl, { onWait, giveUpAfterMs }, async (client) => {
    const applied = await appliedVersions(client);
    const { pending, unknown } = stateOf(applied);
    if (refuseUnknown && unknown.length > 0) throw new UnknownMigrations(unknown);
    await recordBaseline(client, applied);
    await runMigrations({ connectionString: databaseUrl });
    for (const migration of pending) await apply(client, migration);
    return pending.map(nameOf);
  });
}

export const nameOf = ({ version, name }: Migration): string => `${version}_${name}`;

/** Left by a newer release, or by another product. */
export class UnknownMigrations extends Error {
  constructor(versions: readonly string[]) {
    super(
      `The database has ${versions.join(", ")}, which this version of ${PRODUCT} doesn't know. ` +
        "If a newer version was deployed, push from that one.",
    );
  }
}

/** Runs seed.sql once on the local stack's database. Returns whether it did. */
export function seed(databaseUrl: string): Promise<boolean> {
  return locked(databaseUrl, { onWait: console.error, giveUpAfterMs: 300_000 }, async (client) => {
    const marker = `insert into supabase_migrations.seed_files (path, hash) values ($1, md5($2))
       on conflict do nothing`;
    const sql = readFileSync(SEED, "utf8");
    return transaction(client, SEED_PATH, async () => {
      const { rowCount } = await client.query(marker, [SEED_PATH, sql]);
      if (rowCount) await client.query(`set local tieout.demonstration = 'on'; ${sql}`);
      return rowCount === 1;
    });
  });
}

async function apply(client: Client, migration: Migration): Promise<void> {
  const { version, name, file } = migration;
  const sql = readFileSync(file, "utf8");
  await transaction(client, nameOf(migration), async () => {
    await client.query(sql);
    await client.query(
      `insert into supabase_migrations.schema_migrations (version, statements, name)
       values ($1, $2, $3)`,
      [version, [sql], name],
    );
  });
}

async function transaction<T>(client: Client, name: string, work: () => Promise<T>): Promise<T> {
  await client.query("begin");
  try {
    const result = await work();
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback");
    throw new Error(`${name}: ${describe(error)}`, { cause: error });
  }
}

function describe(error: unknown): string {
  const { message, position, where, detail } = error as {
    message: string;
    position?: string;
    where?: string;
    detail?: string;
  };
  return [message, detail, position && `at character ${position}`, where]
    .filter(Boolean)
    .join("; ");
}

/** Another process applies migrations, or hangs while it does. */
export class LockHeld extends Error {}

type Waiting = { onWait: (reason: string) => void; giveUpAfterMs: number };

async function locked<T>(
  databaseUrl: string,
  waiting: Waiting,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: databaseUrl });
  const lock = new Client({
    connectionString: databaseUrl,
    application_name: `${PRODUCT_ID} migrations`,
  });
  lock.on("error", () => {});
  try {
    await lock.connect();
    await takeLock(lock, waiting);
    await client.connect();
    await client.query(HISTORY);
    const done = await work(client);
    // A pooler may be a moment behind in noticing that a connection has ended.
    await lock.query("rollback");
    return done;
  } finally {
    await Promise.all([client.end(), lock.end()]);
  }
}

/**
 * In a transaction that stays open: the lock ends with its connection, which behind a pooler a
 * session's lock would not.
 */
async function takeLock(client: Client, { onWait, giveUpAfterMs }: Waiting): Promise<void> {
  await client.query("begin; set local idle_in_transaction_session_timeout = 0");
  const startedAt = performance.now();
  for (let loggedAt = Number.NEGATIVE_INFINITY; ; await sleep(TRY_EVERY_MS)) {
    const { rows } = await client.query<{ taken: boolean }>(
      `select pg_try_advisory_xact_lock(${LOCK_KEY}) as taken`,
    );
    if (rows[0]?.taken) return;
    const holder = await describeHolder(client);
    if (performance.now() - startedAt > giveUpAfterMs) {
      throw new LockHeld(
        `Another start has held the lock of migrations for ${Math.round(giveUpAfterMs / 1000)} s: ${holder}. If it is gone, end its connection with select pg_terminate_backend(<pid>), and start again.`,
      );
    }
    if (performance.now() - loggedAt < LOG_INTERVAL_MS) continue;
    onWait(`waiting for another start to apply migrations: ${holder}`);
    loggedAt = performance.now();
  }
}

async function describeHolder(client: Client): Promise<string> {
  const { rows } = await client.query<{
    pid: number;
    name: string | null;
    address: string | null;
    since: string;
  }>(HOLDER);
  const [holder] = rows;
  if (!holder) return "a connection that cannot be seen from here";
  return (
    `pid ${holder.pid}, ${holder.name ?? "unnamed"}, from ${holder.address ?? "this machine"}, ` +
    `connected since ${holder.since}`
  );
}
