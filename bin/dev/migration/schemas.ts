import { readdirSync, readFileSync } from "node:fs";
import type { Client } from "pg";

const FOLDER = new URL("../../../supabase/schemas/", import.meta.url);

/**
 * The files of supabase/schemas in their order, as one text, which creates the whole schema on an
 * empty platform.
 */
export function schemaSql(): string {
  const files = readdirSync(FOLDER)
    .filter((file) => file.endsWith(".sql"))
    .sort();
  return files.map((file) => readFileSync(new URL(file, FOLDER), "utf8")).join("\n");
}

/** Runs the statements in one transaction. @throws Error that names the failing statement */
export async function run(database: Client, sql: string, what: string): Promise<void> {
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
    throw new Error([`${what}: ${message}`, line, where].filter(Boolean).join("; "), {
      cause: error,
    });
  }
}
