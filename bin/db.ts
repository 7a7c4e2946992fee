import type { Client } from "pg";
import { markRestored } from "../supabase/local/mark-restored.ts";
import {
  LockHeld,
  migrate,
  migrationState,
  nameOf,
  UnknownMigrations,
} from "../supabase/local/migrate.ts";
import { withConnection } from "../supervisor/check-connection.ts";
import { readQuotas, storeQuotas } from "../supervisor/quotas.ts";
import { stackEnvironment } from "../supervisor/stack-file.ts";
import { fail } from "./fail.ts";

const USAGE = `Usage: npm run -s db -- push [--dry-run]
       npm run -s db -- restored

push
Applies the pending migrations to the database at DIRECT_URL, or DATABASE_URL, as its owner (at Supabase: postgres), and has it hold tenants to QUOTA_….
--dry-run lists them and changes nothing.

restored
After a restore from a backup and before workers start: marks every pending delivery as a recovery, since its receiver may have had
it before the restore, and gives later events positions behind every cursor that readers can have.`;

/** An error whose message says what to do. */
class Refusal extends Error {}

const [verb, ...flags] = process.argv.slice(2);
const isDryRun = flags.includes("--dry-run");
const isPush = verb === "push" && flags.length === Number(isDryRun);
const isRestored = verb === "restored" && flags.length === 0;
if (!isPush && !isRestored) fail(USAGE);

const { DIRECT_URL, DATABASE_URL } = stackEnvironment();
const databaseUrl = DIRECT_URL || DATABASE_URL;
if (!databaseUrl)
  fail(
    "No database is named. Set DATABASE_URL to the project's connection string, as its role " +
      "postgres.",
  );

try {
  if (isPush) await push(databaseUrl);
  else {
    const pending = await withConnection(databaseUrl, markRestored);
    console.log(`Marked ${pending} pending deliveries as recoveries. Workers can start.`);
  }
} catch (error) {
  fail(sentenceOf(error as Error & { code?: string }));
}

async function push(url: string): Promise<void> {
  const { pending, unknown } = await withConnection(url, async (client) => {
    await requireOwner(client);
    return migrationState(client);
  });
  if (unknown.length > 0) throw new UnknownMigrations(unknown);
  if (isDryRun) return list("Would apply", pending.map(nameOf));
  list("Applied", pending.length === 0 ? [] : await migrate(url, { refuseUnknown: true }));
  await storeQuotas(url, readQuotas(process.env));
}

/**
 * A superuser would own what it creates, and row-level security would not apply to its functions.
 */
async function requireOwner(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string; super: boolean; creates: boolean }>(
    `select current_user as name, rolsuper as super,
       has_database_privilege(current_database(), 'create') as creates
     from pg_roles where rolname = current_user`,
  );
  const [role] = rows;
  if (role?.super)
    throw new Refusal(
      `${role.name} is a superuser, and would own every new object. ` +
        "Connect as postgres, as on Supabase.",
    );
  if (!role?.creates)
    throw new Refusal(
      `${role?.name} can't create schemas in this database. Connect as postgres, its owner.`,
    );
}

function list(done: string, names: string[]): void {
  const count = `${names.length} ${names.length === 1 ? "migration" : "migrations"}`;
  console.log(names.length === 0 ? "The database is up to date." : `${done} ${count}:`);
  for (const name of names) console.log(`  ${name}`);
}

function sentenceOf(error: Error & { code?: string }): string {
  if (error instanceof LockHeld || error instanceof UnknownMigrations || error instanceof Refusal)
    return error.message;
  if (error.code?.startsWith("E"))
    return (
      "The database at DIRECT_URL or DATABASE_URL can't be reached: " +
      `${error.message || error.code}.`
    );
  return isPush
    ? `The failed migration was rolled back; earlier ones were applied. ${error.message}`
    : error.message;
}
