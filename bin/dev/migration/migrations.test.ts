import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Client } from "pg";
import { describe, expect, test } from "vitest";
import { migrate, migrations } from "../../../supabase/local/migrate.ts";
import type { FreshDatabase } from "../generate/fresh-database.ts";
import { testDatabases } from "../generate/test-databases.ts";
import { readCatalogue } from "./catalogue.ts";
import { describe as described, differences } from "./difference.ts";
import { schemaDatabase } from "./schema-database.ts";
import { run, schemaFiles, schemaSql } from "./schemas.ts";

const SUPABASE = join(import.meta.dirname, "../../../supabase");
const SECONDS = 1000;

const fresh = testDatabases();
const schemas = schemaDatabase(fresh);

describe("supabase/schemas", () => {
  const files = schemaFiles().map(({ pathname }) => relative(SUPABASE, pathname));

  test("are all listed in config.toml", () => {
    expect(globSync("schemas/**/*.sql", { cwd: SUPABASE }).sort()).toEqual([...files].sort());
  });

  test("creates what the migrations create", { timeout: 60 * SECONDS }, async () => {
    const { url, client } = await fresh();
    await migrate(url);
    expect(await remainingDifferences(client)).toEqual([]);
  });

  test("defines each function once", () => {
    const defined = [
      ...schemaSql().matchAll(/^create (?:or replace )?function ([^(]+)\(([^)]*)\)/gm),
    ].map(([, name, types]) => `${name}(${types})`);
    expect(defined.length).toBeGreaterThan(100);
    expect(defined.filter((name, at) => defined.indexOf(name) !== at)).toEqual([]);
    expect(schemaSql()).not.toMatch(/create or replace/);
  });

  test.each(files)("%s states its purpose first, in at most 400 lines of 100 columns", (file) => {
    const text = readFileSync(join(SUPABASE, file), "utf8");
    expect(text).toMatch(/^-- \S/);
    // Generated files grow with the number of operations.
    if (file.includes(".gen.")) return;
    expect(text.split("\n").length).toBeLessThanOrEqual(400);
    const wide = withoutLongLiterals(text)
      .split("\n")
      .filter(({ length }) => length > 100);
    expect(wide).toEqual([]);
  });
});

/** Removes long literals: sentences and templates stay on one line, where a search finds them. */
function withoutLongLiterals(sql: string): string {
  return sql.replace(/--[^\n]*|'(?:[^']|'')*'/g, (part) =>
    part.startsWith("'") && part.length > 60 ? "''" : part,
  );
}

/** The first and the last migration that the baseline replaced. */
const REPLACED = ["20261122135246", "20261126015851"];

describe("a database of the migrations before the baseline", () => {
  async function databaseBeforeBaseline(versions: string[]): Promise<FreshDatabase> {
    const database = await fresh();
    const [baseline] = migrations();
    if (!baseline) throw new Error("There is no baseline.");
    await run(database.client, readFileSync(baseline.file, "utf8"), "baseline");
    await database.client.query(
      `create schema supabase_migrations;
       create table supabase_migrations.schema_migrations (version text primary key,
         statements text[], name text);
       create table supabase_migrations.seed_files (path text primary key, hash text not null)`,
    );
    for (const version of versions)
      await database.client.query(
        "insert into supabase_migrations.schema_migrations (version, name) values ($1, 'old')",
        [version],
      );
    return database;
  }

  test("continues from the baseline with its data", { timeout: 60 * SECONDS }, async () => {
    const { url, client } = await databaseBeforeBaseline(REPLACED);
    await client.query("select private.create_tenant('before', 'Before the baseline')");
    const [, ...since] = migrations();
    expect(await migrate(url)).toEqual(since.map(({ version, name }) => `${version}_${name}`));
    expect(await remainingDifferences(client)).toEqual([]);
    const { rows } = await client.query("select name from public.tenants where id = 'before'");
    expect(rows).toEqual([{ name: "Before the baseline" }]);
    const recorded = await client.query(
      "select version from supabase_migrations.schema_migrations order by version",
    );
    expect(recorded.rows).toEqual(migrations().map(({ version }) => ({ version })));
    expect(await migrate(url)).toEqual([]);
  });

  test("is refused and left unchanged without the last of them", {
    timeout: 60 * SECONDS,
  }, async () => {
    const { url, client } = await databaseBeforeBaseline(REPLACED.slice(0, 1));
    await expect(migrate(url)).rejects.toThrow(
      "This database was last started with an older commit. " +
        "Start b948a13 on it once, then this one.",
    );
    const { rows } = await client.query(
      "select version from supabase_migrations.schema_migrations",
    );
    expect(rows).toEqual([{ version: REPLACED[0] }]);
  });
});

async function remainingDifferences(migrated: Client): Promise<string[]> {
  return differences(await readCatalogue(migrated), schemas.known).map(described);
}
