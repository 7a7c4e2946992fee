import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Client } from "pg";
import { describe, expect, test } from "vitest";
import { chainReader, readChainState } from "#lib/security-events/read-chain.ts";
import { verifyChain } from "#lib/security-events/verify-chain.ts";
import { migrate, migrations } from "../../supabase/local/migrate.ts";
import type { FreshDatabase } from "../generate/fresh-database.ts";
import { lentDatabases } from "../generate/lent-databases.ts";
import { readCatalogue } from "./catalogue.ts";
import { describe as described, differences } from "./difference.ts";
import { madeBySchemas } from "./made-by-schemas.ts";
import { run, schemaSql } from "./schemas.ts";

const SCHEMAS = new URL("../../supabase/schemas/", import.meta.url);
const BEFORE = new URL("../../supabase/tests/before-baseline.sql.gz", import.meta.url);
const SECONDS = 1000;

const fresh = lentDatabases();
const schemas = madeBySchemas(fresh);

describe("supabase/schemas", () => {
  const files = readdirSync(SCHEMAS).filter((file) => file.endsWith(".sql"));

  test("makes what the migrations make", { timeout: 60 * SECONDS }, async () => {
    const { url, client } = await fresh();
    await migrate(url);
    expect(await left(client)).toEqual([]);
  });

  test("defines each function once", () => {
    const defined = [
      ...schemaSql().matchAll(/^create (?:or replace )?function ([^(]+)\(([^)]*)\)/gm),
    ].map(([, name, types]) => `${name}(${types})`);
    expect(defined.length).toBeGreaterThan(100);
    expect(defined.filter((name, at) => defined.indexOf(name) !== at)).toEqual([]);
    expect(schemaSql()).not.toMatch(/create or replace/);
  });

  test.each(files)(
    "%s says in its first line what it is about, and is no longer than a reading",
    (file) => {
      const text = readFileSync(new URL(file, SCHEMAS), "utf8");
      expect(text).toMatch(/^-- \S/);
      // What is generated grows with the operations.
      if (!file.includes(".gen.")) expect(text.split("\n").length).toBeLessThanOrEqual(300);
    },
  );
});

/** By a migration since. */
const RENAMED: Record<string, string> = { "private.worker_heartbeats": "private.heartbeats" };

describe("a database of the 48 migrations before the baseline", () => {
  const parts = gunzipSync(readFileSync(BEFORE)).toString().split(/^-- @/m).slice(1);
  const old = parts
    .filter((part) => part.startsWith("migration "))
    .map((part) => part.slice("migration ".length));
  const rows = parts
    .filter((part) => part.startsWith("rows"))
    .map((part) => part.slice("rows".length));

  async function madeBefore(applied = old): Promise<FreshDatabase> {
    const database = await fresh();
    await database.client.query(
      "create schema supabase_migrations; create table supabase_migrations.schema_migrations (version text primary key, statements text[], name text)",
    );
    for (const migration of applied) {
      const [name = ""] = migration.split("\n", 1);
      await run(database.client, migration.slice(name.length), name);
      await database.client.query(
        "insert into supabase_migrations.schema_migrations (version, name) values ($1, $2)",
        [name.slice(0, 14), name.slice(15)],
      );
    }
    return database;
  }

  test("becomes what the schemas make, and keeps what it holds", {
    timeout: 120 * SECONDS,
  }, async () => {
    const { url, client } = await madeBefore();
    for (const some of rows) await run(client, some, "rows");
    const held = await countedRows(client);
    await client.query("grant select on private.api_key_secrets to authenticated");

    expect(await migrate(url)).toEqual(
      migrations().map(({ version, name }) => `${version}_${name}`),
    );
    expect(await left(client)).toEqual([]);
    const renamed = Object.entries(held).map(([table, count]) => [RENAMED[table] ?? table, count]);
    expect(await countedRows(client)).toMatchObject(Object.fromEntries(renamed));
    expect(await migrate(url)).toEqual([]);
    expect(
      (await client.query("select version from supabase_migrations.schema_migrations")).rows,
    ).toHaveLength(migrations().length);

    const [{ found }] = (await client.query("select private.find_api_key('tk_before') as found"))
      .rows;
    expect(found).toMatchObject({
      tenant_id: "acme",
      secret_digest: "a".repeat(64),
      name: "Before the baseline",
    });
    expect(
      (
        await client.query(
          "select count(*)::integer as keys, count(distinct lineage_id)::integer as lines from public.api_keys where key_id in ('tk_before', 'tk_successor')",
        )
      ).rows,
    ).toEqual([{ keys: 2, lines: 1 }]);
    for (const chain of ["acme", "globex", "*"]) {
      const query = (text: string, values: unknown[]) => client.query(text, values);
      const { fault, events } = await verifyChain(
        await readChainState(query, chain),
        chainReader(query, chain),
      );
      expect({ chain, fault }).toEqual({ chain, fault: null });
      if (chain !== "globex") expect(events).toBeGreaterThan(0);
    }
    expect(
      await asAda(client, "create_api_key", "createApiKey", { key_hash: "key", fingerprint: "f" }),
    ).toMatchObject({
      replayed: true,
      body: { name: "Before the baseline", key_id: "tk_before" },
    });
    const { summary } = await asAda(client, "list_sla_exceptions", "listSlaExceptions");
    const [{ open }] = (
      await client.query(
        "select count(*)::integer as open from public.exceptions where tenant_id = 'acme' and status in ('open', 'in_review')",
      )
    ).rows;
    expect(summary.total_open).toBe(open);
    const [claimed] = (
      await client.query(
        "select * from private.claim_webhook_deliveries(array(select id from public.webhooks), 10)",
      )
    ).rows;
    expect(claimed).toMatchObject({
      tenant_id: "acme",
      secrets: [{ id: "whs_before", sealed: "sealed" }],
    });
  });

  test("is refused where it lacks one of them", { timeout: 60 * SECONDS }, async () => {
    const { url, client } = await madeBefore(old.slice(0, -1));
    await expect(migrate(url)).rejects.toThrow(
      "This database lacks 1 of the migrations before the baseline, from 20261122050000 on.",
    );
    expect((await client.query("select to_regclass('private.operations') as made")).rows).toEqual([
      { made: null },
    ]);
  });
});

async function left(made: Client): Promise<string[]> {
  return differences(await readCatalogue(made), schemas.known).map(described);
}

async function countedRows(client: Client): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; count: number }>(
    `select t.oid::regclass::text as name, (xpath('/row/c/text()', query_to_xml(format('select count(*) as c from %s', t.oid::regclass), false, true, '')))[1]::text::integer as count
     from pg_class t where t.relkind in ('r', 'p') and t.relnamespace in ('public'::regnamespace, 'private'::regnamespace)`,
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

async function asAda(
  client: Client,
  verb: string,
  operation: string,
  idempotency: object | null = null,
) {
  const claims = {
    tenant_id: "acme",
    principal_type: "user",
    principal_id: "user:ada",
    actor: "user:ada",
    roles: ["tenant_admin"],
    scopes: [],
  };
  await client.query("begin");
  try {
    await client.query(
      "select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)",
      [JSON.stringify(claims)],
    );
    const { rows } = await client.query(`select public.${verb}($1, $2) as answer`, [
      { limit: 1, sort_by: "due_at" },
      { operation, idempotency },
    ]);
    return rows[0].answer;
  } finally {
    await client.query("rollback");
  }
}
