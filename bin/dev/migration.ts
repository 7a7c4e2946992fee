/**
 * Writes a migration that turns a database with all migrations into what supabase/schemas creates.
 *
 *   npm run migration <name> [-- --sql "alter table …"]
 *
 * Functions, policies, triggers, grants, comments, permission rows and new tables are written
 * automatically. Changes of existing tables need a statement, by --sql or written into the file
 * above its marker; without it they are refused. Run again with the same name, it rewrites the last
 * migration and keeps that part.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Migration, migrations } from "../../supabase/local/migrate.ts";
import { fail } from "../fail.ts";
import { type CreateDatabase, withFreshDatabases } from "./generate/fresh-database.ts";
import { readCatalogue } from "./migration/catalogue.ts";
import { describe, differences, planOf } from "./migration/difference.ts";
import { run, schemaSql } from "./migration/schemas.ts";

const FOLDER = new URL("../../supabase/migrations/", import.meta.url);
const MARKER = "-- From here on written by `npm run migration`, anew each time. Above is by hand.";
const USAGE =
  'Usage: npm run migration <name> [-- --sql "alter table …"]   (a name of lower-case letters, digits and _)';

const { name, sql } = readArguments();
const existing = migrations();
const existingIndex = existing.findIndex((migration) => migration.name === name);
if (existingIndex >= 0 && existingIndex < existing.length - 1)
  fail(`There is a migration ${name} already, and others after it. Choose another name.`);
const before = existingIndex < 0 ? existing : existing.slice(0, -1);
const file =
  existingIndex < 0
    ? new URL(`${nextVersion(before)}_${name}.sql`, FOLDER)
    : (existing[existingIndex] as Migration).file;

await withFreshDatabases(before.length === 0 ? writeBaseline : writeMigration).catch(
  (error: Error) => fail(error.message),
);

/** The first migration contains the schemas unchanged. */
async function writeBaseline(fresh: CreateDatabase): Promise<void> {
  await run((await fresh()).client, schemaSql(), "supabase/schemas");
  write(
    "-- The schemas at the time of this baseline. It " +
      "never changes: read supabase/schemas instead.\n\n" +
      `${schemaSql()}`,
  );
}

async function writeMigration(fresh: CreateDatabase): Promise<void> {
  const { client: expected } = await fresh();
  await run(expected, schemaSql(), "supabase/schemas");
  const { client: migrated } = await fresh();
  for (const migration of before)
    await run(migrated, readFileSync(migration.file, "utf8"), migration.name);
  const byHand = [handWritten(), sql && `${sql.trim().replace(/;?$/, ";")}\n`]
    .filter(Boolean)
    .join("\n");
  if (byHand) await run(migrated, byHand, "the part by hand");

  const target = await readCatalogue(expected);
  const plan = planOf(await readCatalogue(migrated), target);
  if (plan.byHand.length > 0) {
    throw new Error(
      `Changes of existing tables must be written by hand:\n${plan.byHand.map((difference) => `  ${describe(difference)}`).join("\n")}\n` +
        `Give the statements by --sql, or in ${path(file)} above the line\n  ${MARKER}`,
    );
  }
  if (plan.statements.length === 0 && !byHand)
    throw new Error(
      "The migrations already create what the schemas define: there is nothing to write.",
    );
  const previousText = existsSync(file) ? readFileSync(file, "utf8") : undefined;
  write(
    [byHand || `-- ${name.replaceAll("_", " ")}\n`, MARKER, "", ...plan.statements, ""].join("\n"),
  );

  const { client: proof } = await fresh();
  for (const migration of before)
    await run(proof, readFileSync(migration.file, "utf8"), migration.name);
  try {
    await run(proof, readFileSync(file, "utf8"), path(file));
    const remaining = differences(await readCatalogue(proof), target);
    if (remaining.length > 0)
      throw new Error(
        `After the migration, these still differ from the schemas:\n${remaining.map((difference) => `  ${describe(difference)}`).join("\n")}`,
      );
  } catch (error) {
    if (previousText === undefined) rmSync(file);
    else writeFileSync(file, previousText);
    throw error;
  }
}

function write(text: string): void {
  writeFileSync(file, text);
  console.log(`${path(file)}: ${text.split("\n").length - 1} lines`);
}

/** The part above the marker of a migration that is rewritten. */
function handWritten(): string {
  if (!existsSync(file)) return "";
  const [above = ""] = readFileSync(file, "utf8").split(MARKER);
  return above.trim() === "" ? "" : `${above.trim()}\n`;
}

function nextVersion(others: readonly Migration[]): string {
  const now = new Date().toISOString().replaceAll(/[-:T]/g, "").slice(0, 14);
  const last = others.at(-1)?.version ?? "";
  return now > last ? now : String(Number(last) + 1);
}

function path(url: URL): string {
  return `supabase/migrations/${url.pathname.split("/").at(-1)}`;
}

function readArguments(): { name: string; sql: string | undefined } {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { sql: { type: "string" } },
    });
    const [given = "", ...more] = positionals;
    if (more.length > 0 || !/^[a-z][a-z0-9_]*$/.test(given)) fail(USAGE);
    return { name: given, sql: values.sql };
  } catch {
    return fail(USAGE);
  }
}
