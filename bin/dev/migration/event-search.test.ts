import type { Client } from "pg";
import { beforeAll, expect, test } from "vitest";
import { testDatabases } from "../generate/test-databases.ts";
import { run, schemaSql } from "./schemas.ts";

// What the search of security events finds and reads, in a tenant with many.

const MANY = 20_000;
/** Two events have the rare word. */
const READ_MAX = 100;
const fresh = testDatabases();
let client: Client;

beforeAll(async () => {
  ({ client } = await fresh());
  await run(client, schemaSql(), "supabase/schemas");
  await client.query(
    "select private.create_tenant('acme', 'Acme'), private.create_tenant('globex', 'Globex')",
  );
  await client.query(
    `alter table public.security_events disable trigger user;
     delete from public.security_events;
     insert into public.security_events (tenant_id, at, type, actor, credential, target, reason,
       details, seq, hash)
     select case when n % 3 = 0 then 'globex' else 'acme' end, now() - make_interval(secs => n),
       'source.created', 'user:u' || n % 50, 'user', 'src_' || n,
       case when n in (17, 18, 10000) then 'Zebra crossing' end,
       jsonb_build_object('name', 'Bank ' || n), n, md5(n::text)
     from generate_series(1, ${MANY}) n;
     analyze public.security_events`,
  );
}, 120_000);

const CLAIMS = {
  tenant_id: "acme",
  role: "authenticated",
  principal_type: "user",
  sub: "ada",
  actor: "user:ada",
  scopes: [],
};

/** The targets of a page, newest first. */
async function found(input: object, roles = ["tenant_admin"]): Promise<string[]> {
  await client.query("begin");
  try {
    await client.query(
      `select set_config('role', 'authenticated', true),
         set_config('request.jwt.claims', $1, true)`,
      [JSON.stringify({ ...CLAIMS, roles })],
    );
    const calls = [{ limit: 3, ...input }, { operation: "listSecurityEvents" }];
    const { rows } = await client.query(
      "select public.list_security_events($1, $2) as page",
      calls,
    );
    return rows[0].page.items.map((item: { target: string }) => item.target);
  } finally {
    await client.query("rollback");
  }
}

/** How many rows of the table were read so far. */
async function rowsRead(): Promise<number> {
  await client.query("select pg_stat_force_next_flush()");
  const { rows } = await client.query(
    `select (seq_tup_read + idx_tup_fetch)::integer as count from pg_stat_user_tables
     where relid = 'public.security_events'::regclass`,
  );
  return rows[0].count as number;
}

test.each([
  ["a rare word", { q: "zebra" }, ["src_17", "src_10000"]],
  ["two words, one of them common", { q: "BANK crossing" }, ["src_17", "src_10000"]],
  ["a common word", { q: "bank" }, ["src_1", "src_2", "src_4"]],
  ["a word too short for the index", { q: "u7" }, ["src_7", "src_107", "src_157"]],
  ["an ID", { q: "src_19999" }, ["src_19999"]],
  ["a word and a filter", { q: "zebra", actor: "user:u17" }, ["src_17"]],
  ["a sign of patterns", { q: "zeb%" }, []],
  ["another tenant's target", { q: "src_18 zebra" }, []],
])("finds by %s", async (_, input, targets) => {
  expect(await found(input)).toEqual(targets);
});

test.each([
  ["a rare word", "zebra"],
  ["a word that no event has", "xylophone"],
])("a search for %s reads few of many events", async (_, q) => {
  const before = await rowsRead();
  await found({ q });
  expect((await rowsRead()) - before).toBeLessThan(READ_MAX);
});
