import { readFileSync } from "node:fs";
import { Client } from "pg";

export type Passwords = { postgres: string; authenticator: string; supabase_auth_admin: string };

/**
 * Columns of the hosted platform's auth.users that lite leaves out and that its users need when
 * they are made by SQL.
 */
const HOSTED_COLUMNS = `alter table auth.users
  add column instance_id uuid,
  add column is_super_admin boolean`;

/** Gives a fresh cluster the hosted platform's roles, schemas and default privileges. */
export async function preparePlatform(superuserUrl: string, passwords: Passwords): Promise<void> {
  const client = new Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query(
      "select from pg_roles where rolname = 'supabase_auth_admin'",
    );
    if (!rowCount) await makePlatform(client, passwords);
    // Not the hosted platform's: here the owner alone may have the last connections.
    await client.query("grant pg_use_reserved_connections to postgres");
  } finally {
    await client.end();
  }
}

async function makePlatform(client: Client, passwords: Passwords): Promise<void> {
  const { getAuthSchemaSql } = await import("@supabase/lite");
  await client.query("begin");
  await client.query(readFileSync(new URL("platform.sql", import.meta.url), "utf8"));
  await client.query(
    `set role supabase_auth_admin; ${getAuthSchemaSql()}; ${HOSTED_COLUMNS}; reset role`,
  );
  for (const [role, password] of Object.entries(passwords)) {
    await client.query(`alter role ${role} password ${client.escapeLiteral(password)}`);
  }
  await client.query("commit");
}
