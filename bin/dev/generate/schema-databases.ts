import { randomBytes } from "node:crypto";
import type { Client } from "pg";
import { afterAll, inject } from "vitest";
import { type CreateDatabase, createDatabase } from "./fresh-database.ts";

const MINUTE = 60_000;

/**
 * Provides databases with the schema of supabase/schemas, and no rows, to the tests of a file until
 * its last test ends. Files share a server, which deletes all of them when it stops: a test must not
 * change its settings or roles.
 */
export function schemaDatabases(): CreateDatabase {
  const clients: Client[] = [];
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
  }, MINUTE);
  return async () => {
    const template = inject("schemaTemplate");
    const name = `test_${randomBytes(8).toString("hex")}`;
    const database = await createDatabase(template, name, new URL(template).pathname.slice(1));
    clients.push(database.client);
    return database;
  };
}
