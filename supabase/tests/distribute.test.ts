import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "pg";
import { beforeAll, expect, test } from "vitest";
import { schemaDatabases } from "../../bin/dev/generate/schema-databases.ts";

const fresh = schemaDatabases();
let client: Client;

const file = (name: string) =>
  readFileSync(join(import.meta.dirname, "../../ops/citus", name), "utf8");

/** Tables whose rows have no tenant. */
const ON_THE_COORDINATOR = [
  "private.account_index",
  "private.heartbeats",
  "private.password_resets",
  "private.sessions",
  "private.usage_batches",
];

beforeAll(async () => {
  ({ client } = await fresh());
  await client.query(file("stubs.sql"));
  await client.query(file("distribute.sql"));
}, 120_000);

test("every table is distributed, replicated, or on the coordinator", async () => {
  const { rows } = await client.query<{ name: string }>(
    `select n.nspname || '.' || c.relname as name from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('public', 'private') and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname not in ('pg_dist_partition', 'distributed_functions')
       and c.oid not in (select logicalrelid from pg_dist_partition) order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual(ON_THE_COORDINATOR);
});

test("every function exists on every node, and tenants' calls run in their shard", async () => {
  const { rows } = await client.query<{ all: number; routed: number; missing: number }>(
    `select count(*)::int as all, count(by_argument)::int as routed,
       (select count(*)::int from pg_proc p
        where p.pronamespace = 'public'::regnamespace and p.proargnames[1] = 'input'
          and p.oid not in (select name from distributed_functions)) as missing
     from distributed_functions`,
  );
  expect(rows[0]).toMatchObject({ missing: 0 });
  expect(rows[0]?.routed).toBeGreaterThan(20);
});

test("a call on a shard is refused with another tenant's claims", async () => {
  const call = (tenant: string) =>
    client.query("select private.call_on_shard($1, 'get_me', $2, '{}', '{}')", [
      tenant,
      { tenant_id: "one" },
    ]);
  await expect(call("two")).rejects.toThrow("The claims are of another tenant.");
});
