import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { database, sql } from "#e2e/fixtures.ts";
import { statementsOf } from "../../../supabase/local/sql-statements.ts";

type Guarantee = { guarantee: string; statement: string; fault: string | null };

const FOLDER = new URL("../../../supabase/tests/", import.meta.url);
const ASSERTIONS = readFileSync(new URL("assertions.sql", FOLDER), "utf8");

const files = readdirSync(FOLDER).filter((file) => file.endsWith("_rls.test.sql"));
const guarantees = new Map<string, Guarantee[]>();
for (const file of files)
  guarantees.set(file, await guaranteesOf(readFileSync(new URL(file, FOLDER), "utf8")));

const tables = await sql<{ name: string }>(
  `select relname as name from pg_class
   where relnamespace in ('public'::regnamespace, 'private'::regnamespace)
     and relkind in ('r', 'p') order by 1`,
);

describe.each(files)("row-level security: %s", (file) => {
  test.each(guarantees.get(file) ?? [])("$guarantee", ({ statement, fault }) => {
    expect(fault, statement).toBeNull();
  });
});

test.each(tables)("the table $name has its own guarantees", ({ name }) => {
  const touches = new RegExp(
    String.raw`\b(?:from|into|update|truncate) (?:public\.|private\.)?${name}\b`,
  );
  const all = [...guarantees.values()].flat();
  expect(all.filter(({ statement }) => touches.test(statement))).not.toHaveLength(0);
});

/**
 * Runs a file statement by statement in a transaction that is rolled back, and returns its
 * guarantees. A statement with an error counts as a failed guarantee.
 */
async function guaranteesOf(file: string): Promise<Guarantee[]> {
  const connection = await database.connect();
  const broken: Guarantee[] = [];
  try {
    await connection.query(`begin; ${ASSERTIONS}`);
    for (const statement of statementsOf(file)) {
      await connection.query("savepoint statement");
      await connection.query(statement).catch(async (error: Error) => {
        broken.push({
          guarantee: "every statement of the file runs",
          statement,
          fault: error.message,
        });
        await connection.query("rollback to savepoint statement");
      });
    }
    await connection.query("select set_config('role', 'none', true)");
    return [
      ...(await connection.query<Guarantee>("select * from guarantees order by n")).rows,
      ...broken,
    ];
  } finally {
    await connection.query("rollback");
    connection.release();
  }
}
