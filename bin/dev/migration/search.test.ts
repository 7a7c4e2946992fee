import type { Client } from "pg";
import { beforeAll, expect, test } from "vitest";
import { testDatabases } from "../generate/test-databases.ts";
import { run, schemaSql } from "./schemas.ts";

// What the search of exceptions finds, and by which index, in a tenant with many.

const MANY = 30_000;
const fresh = testDatabases();
let client: Client;

beforeAll(async () => {
  ({ client } = await fresh());
  await run(client, schemaSql(), "supabase/schemas");
  await client.query(
    "select private.create_tenant('acme', 'Acme'), private.create_tenant('globex', 'Globex')",
  );
  await client.query(
    `alter table public.exceptions disable trigger user;
     insert into public.exceptions (id, tenant_id, title, severity, due_at, reason_code, created_by)
     select 'exc_' || lpad(to_hex(n), 32, '0'), case when n % 3 = 0 then 'globex' else 'acme' end,
       format('Payout %s has no bank line', n), 'low', now() + interval '1 day',
         case when n = 4 then 'lost_twice' end, 'user:ada'
     from generate_series(1, ${MANY}) n;
     analyze public.exceptions`,
  );
}, 120_000);

const id = (n: number) => `exc_${n.toString(16).padStart(32, "0")}`;

/** The IDs on a page of two, with the extra one that shows that there are more. */
async function found(input: object): Promise<string[]> {
  await client.query("begin");
  try {
    const claims = {
      tenant_id: "acme",
      role: "authenticated",
      principal_type: "user",
      sub: "ada",
      actor: "user:ada",
      roles: ["tenant_admin"],
      scopes: [],
    };
    await client.query(
      `select set_config('role', 'authenticated', true),
         set_config('request.jwt.claims', $1, true)`,
      [JSON.stringify(claims)],
    );
    const calls = [{ limit: 3, ...input }, { operation: "listExceptions" }];
    const { rows } = await client.query("select public.list_exceptions($1, $2) as page", calls);
    return rows[0].page.items.map((item: { id: string }) => item.id);
  } finally {
    await client.query("rollback");
  }
}

test.each([
  ["no words", {}, [29_999, 29_998, 29_996]],
  ["a word of many", { q: "PAYOUT" }, [29_999, 29_998, 29_996]],
  ["words of one, long ago", { q: "line 20005 ayout" }, [20_005]],
  ["a reason code", { q: "lost_twice" }, [4]],
  ["a reason code by another character", { q: "lost%twice" }, []],
  ["another tenant's", { q: "payout 29997 " }, []],
  ["the beginning of an id", { q: id(7).slice(0, -2) }, [254, 253, 251]],
  ["an id", { q: id(7).toUpperCase() }, [7]],
  ["an id and a word", { q: `${id(7)} bank` }, [7]],
  ["a page further on", { q: "payout", after: [id(29_996)] }, [29_995, 29_993, 29_992]],
  ["a filter", { q: "payout", status: "resolved" }, []],
])("finds by %s", async (_, input, numbers) => {
  expect(await found(input)).toEqual(numbers.map(id));
});

test("finds rare words by their index, without reading all rows", async () => {
  const read = async () => {
    await client.query("select pg_stat_force_next_flush()");
    const { rows } = await client.query(
      "select pg_stat_get_numscans('public.exceptions_by_words'::regclass)::integer as scans",
    );
    return rows[0].scans as number;
  };
  const before = await read();
  expect(await found({ q: "lost_twice" })).toEqual([id(4)]);
  expect(await read()).toBe(before + 1);
});
