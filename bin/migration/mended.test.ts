import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { migrate, migrations } from "../../supabase/local/migrate.ts";
import type { FreshDatabase } from "../generate/fresh-database.ts";
import { lentDatabases } from "../generate/lent-databases.ts";
import { run } from "./schemas.ts";

// What a migration mends of rows that were stored before it.

const fresh = lentDatabases();

test("a record whose words did not fit into its search vector is found again, as it was otherwise", {
  timeout: 120_000,
}, async () => {
  await madeBefore("bound_record_search", async ({ url, client }) => {
    await client.query("insert into public.tenants (id, name) values ('acme', 'Acme')");
    await client.query(
      `insert into public.records (tenant_id, surface, data, created_by)
       select 'acme', 'integrations', jsonb_build_object('name', 'Voluminous', 'words', (
         select jsonb_agg(word) from (
           select string_agg(chr(131072 + n) || chr(141072 + n), '.' order by n) as word from generate_series(1, 6700) n group by n / 99
         ) words
       )), 'user:ada'`,
    );
    const found =
      "select id from public.records where tenant_id = 'acme' and search @@ private.record_query('acme', 'integrations', $1)";
    const read = "select id, data, version, updated_at from public.records";
    await expect(client.query(`select search::text from public.records`)).rejects.toThrow(
      "invalid byte sequence",
    );
    const before = (await client.query(read)).rows;

    await migrate(url);

    expect((await client.query("select search::text from public.records")).rows).toHaveLength(1);
    expect((await client.query(found, ["voluminous"])).rows).toEqual([{ id: before[0].id }]);
    expect((await client.query(read)).rows).toEqual(before);
  });
});

test("accounts that were there before are found by their tenants and addresses, and follow what becomes of them", {
  timeout: 120_000,
}, async () => {
  await madeBefore("review_points", async ({ url, client }) => {
    const claims = JSON.stringify({
      tenants: { acme: ["tenant_admin"], [`long${"g".repeat(5_000)}`]: [] },
    });
    await client.query(
      "insert into auth.users (id, email, raw_app_meta_data) values (gen_random_uuid(), 'Ada@acme.example', $1)",
      [claims],
    );

    await migrate(url);

    const found = async () =>
      (
        await client.query(
          "select (private.find_account('ada@acme.example')).email, (select count(*)::int from private.accounts_of('acme')) as count",
        )
      ).rows[0];
    expect(await found()).toEqual({ email: "Ada@acme.example", count: 1 });
    await client.query('update auth.users set raw_app_meta_data = \'{"tenants": ["globex"]}\'');
    expect(await found()).toEqual({ email: "Ada@acme.example", count: 0 });
    await client.query("delete from auth.users");
    expect(await found()).toEqual({ email: null, count: 0 });
  });
});

/** A database of the migrations before this one. */
async function madeBefore(
  name: string,
  work: (database: FreshDatabase) => Promise<void>,
): Promise<void> {
  const known = migrations();
  const at = known.findIndex((migration) => migration.name === name);
  expect(at).toBeGreaterThan(0);
  const database = await fresh();
  await database.client.query(
    "create schema supabase_migrations; create table supabase_migrations.schema_migrations (version text primary key, statements text[], name text)",
  );
  for (const { file, version } of known.slice(0, at)) {
    await run(database.client, readFileSync(file, "utf8"), name);
    await database.client.query(
      "insert into supabase_migrations.schema_migrations (version, name) values ($1, $2)",
      [version, name],
    );
  }
  await work(database);
}
