import { readFileSync } from "node:fs";
import type { Pool } from "pg";

const QUERY = readFileSync(new URL("schema-snapshot.sql", import.meta.url), "utf8");
const HEADER = "-- What the migrations make, as the catalogue has it: `npm run generate` writes this file, a test compares it.";

/** The schemas public and private as text: tables, constraints, indexes, policies, triggers, functions and every grant. */
export async function schemaSnapshot(database: Pool): Promise<string> {
  const connection = await database.connect();
  try {
    await connection.query("begin read only; set local search_path = ''");
    const { rows } = await connection.query<{ body: string }>(QUERY);
    await connection.query("rollback");
    return `${[HEADER, ...rows.map(({ body }) => body)].join("\n\n")}\n`;
  } finally {
    connection.release();
  }
}
