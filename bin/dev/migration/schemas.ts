import { readFileSync } from "node:fs";
import type { Client } from "pg";
import { parse } from "smol-toml";

const SUPABASE = new URL("../../../supabase/", import.meta.url);

/** The files of supabase/schemas in the order in which they are run: see supabase/config.toml. */
export function schemaFiles(): URL[] {
  const { db } = parse(readFileSync(new URL("config.toml", SUPABASE), "utf8")) as Config;
  return db.migrations.schema_paths.map((path) => new URL(path, SUPABASE));
}

type Config = { db: { migrations: { schema_paths: string[] } } };

/** One text that creates the whole schema on an empty platform. */
export function schemaSql(): string {
  return schemaFiles()
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
}

/** Runs the statements in one transaction. @throws Error that names the failing statement */
export async function run(database: Client, sql: string, label: string): Promise<void> {
  await database.query("begin");
  try {
    await database.query(sql);
    await database.query("commit");
  } catch (error) {
    await database.query("rollback");
    const { message, position, where } = error as {
      message: string;
      position?: string;
      where?: string;
    };
    const line = position && `line ${sql.slice(0, Number(position)).split("\n").length}`;
    throw new Error([`${label}: ${message}`, line, where].filter(Boolean).join("; "), {
      cause: error,
    });
  }
}
