/**
 * Databases made before the migrations began anew with one baseline: those of the 48 migrations up to 22 November 2026. They are brought
 * to what the baseline makes, with all their data, and go on from there.
 */
import { readFileSync } from "node:fs";
import type { Client } from "pg";
import { statementsOf } from "./sql-statements.ts";

const TABLES = new URL("before-baseline.sql", import.meta.url);

/** Their versions, which a database has until it is moved to the baseline. */
export const VERSIONS = `
20261120000100 20261120000200 20261120000300 20261120000400 20261120000500 20261120000600 20261120000700 20261120000800 20261120000900 
20261120001000 20261120001100 20261120001200 20261120001300 20261120001400 20261120001500 20261120001600 20261120001700 20261120002000 
20261120002100 20261120002200 20261120002300 20261120003000 20261120003100 20261120003200 20261120003300 20261120003400 20261120004000 
20261120005000 20261120005010 20261120005020 20261120005030 20261120005040 20261120006000 20261120007000 20261120007010 20261120007020 
20261120007030 20261120007040 20261120008000 20261120008010 20261120009000 20261120009100 20261122010000 20261122011000 20261122012000 
20261122020000 20261122042000 20261122050000 
`
  .trim()
  .split(/\s+/);

/** How a statement of the baseline is made on a database that has most of it. Tables and indexes that are there stay as they are. */
const AGAIN: readonly [pattern: RegExp, replacement: string][] = [
  [/^create (schema|table) /m, "create $1 if not exists "],
  [/^create (unique )?index /m, "create $1index if not exists "],
  [/^create function /m, "create or replace function "],
];

/**
 * Whether the database has these migrations.
 * @throws Error where it has some of them: it was left behind by an older commit, which alone can bring it up to date.
 */
export function isFromBefore(applied: ReadonlySet<string>): boolean {
  const missing = VERSIONS.filter((version) => !applied.has(version));
  if (missing.length === VERSIONS.length) return false;
  if (missing.length === 0) return true;
  throw new Error(
    `This database lacks ${missing.length} of the migrations before the baseline, from ${missing[0]} on. Start the commit 5bef60d on it once, then this one.`,
  );
}

/** Brings a database of the 48 migrations to what the baseline makes. Within a transaction. */
export async function moveToBaseline(client: Client, baseline: string): Promise<void> {
  const [before = "", after = ""] = readFileSync(TABLES, "utf8").split(
    "-- Here the baseline is made again.",
  );
  await client.query(before);
  for (const statement of statementsOf(baseline)) await client.query(again(statement));
  await client.query(after);
  await client.query("delete from supabase_migrations.schema_migrations where version = any ($1)", [
    VERSIONS,
  ]);
}

function again(statement: string): string {
  const [pattern, replacement] = AGAIN.find(([found]) => found.test(statement)) ?? [/(?!)/, ""];
  return statement.replace(pattern, replacement);
}
