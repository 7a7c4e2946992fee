import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Client } from "pg";
import { beforeEach, describe, expect, test } from "vitest";
import { PRODUCT } from "#lib/wire/product.ts";
import { migrations, nameOf } from "../supabase/local/migrate.ts";
import { testDatabases } from "./dev/generate/test-databases.ts";

const DB = join(import.meta.dirname, "db.ts");
const NAMES = migrations().map(nameOf);
const FUTURE = "29991231235959";

const fresh = testDatabases();
let client: Client;
let url: string;

beforeEach(async () => {
  ({ client, url } = await fresh());
  // A new project: the platform's schemas and none of ours.
  await client.query("drop schema graphile_worker cascade");
});

async function push(
  databaseUrl: string,
  ...flags: string[]
): Promise<{ code: number; output: string }> {
  const env = { ...process.env, DIRECT_URL: "", DATABASE_URL: databaseUrl };
  return promisify(execFile)(process.execPath, [DB, "push", ...flags], { env }).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
  );
}

const applied = async () =>
  (
    await client.query<{ version: string }>(
      "select version from supabase_migrations.schema_migrations order by version",
    )
  ).rows.map(({ version }) => version);

describe("npm run db -- push, as the project's role postgres, which isn't a superuser", {
  timeout: 60_000,
}, () => {
  test("lists pending migrations, then applies each once, even when run twice at once", async () => {
    const { rows } = await client.query<{ super: boolean }>(
      "select rolsuper as super from pg_roles where rolname = current_user",
    );
    expect(rows).toEqual([{ super: false }]);

    const dry = await push(url, "--dry-run");
    expect(dry.output.trim().split("\n").slice(1)).toEqual(NAMES.map((name) => `  ${name}`));
    expect((await client.query("select to_regclass('public.exceptions') as found")).rows).toEqual([
      { found: null },
    ]);
    expect(
      (await client.query("select to_regnamespace('supabase_migrations') as found")).rows,
    ).toEqual([{ found: null }]);

    const both = await Promise.all([push(url), push(url)]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const lines = both
      .flatMap(({ output }) => output.split("\n"))
      .filter((line) => line.startsWith("  "));
    expect(lines.sort()).toEqual(NAMES.map((name) => `  ${name}`));
    expect(await applied()).toEqual(migrations().map(({ version }) => version));
    expect(await push(url)).toEqual({ code: 0, output: "The database is up to date.\n" });
  });

  test("refuses a database of a newer version, and one that is being migrated", async () => {
    await push(url);
    const [first = "", ...rest] = await applied();
    for (const strange of [FUTURE, "20000101000000"]) {
      await client.query(
        "update supabase_migrations.schema_migrations set version = $2 where version = $1",
        [first, strange],
      );
      for (const flags of [[], ["--dry-run"]]) {
        const { code, output } = await push(url, ...flags);
        expect([code, output]).toEqual([
          1,
          expect.stringContaining(
            `The database has ${strange}, which this version of ${PRODUCT} doesn't know`,
          ),
        ]);
      }
      await client.query(
        "update supabase_migrations.schema_migrations set version = $1 where version = $2",
        [first, strange],
      );
    }
    expect(await applied()).toEqual([first, ...rest]);
  });

  test("rolls back a migration that fails, and names it", async () => {
    await client.query("create table public.sources (id text)");
    const { code, output } = await push(url);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^The failed migration was rolled back.*\d{14}_\w+: .*sources/),
    ]);
    expect(output).not.toContain("password");
  });

  test("refuses a role that can't create schemas", async () => {
    await client.query("create role makes_schemas login password 'x' nosuperuser");
    const other = new URL(url);
    [other.username, other.password] = ["makes_schemas", "x"];
    expect(await push(other.href)).toEqual({
      code: 1,
      output: expect.stringContaining("makes_schemas can't create schemas in this database"),
    });
  });
});
