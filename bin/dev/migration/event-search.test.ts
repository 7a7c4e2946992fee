import { expect, test } from "vitest";
import { databaseWithTwoTenants } from "./search-database.ts";

// What the search of security events finds and reads, in a tenant with many.

const MANY = 20_000;
/** The limit for a search of a word that two of the tenant's events have. */
const MAX_ROWS_READ = 100;
const database = databaseWithTwoTenants(
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

/** The targets of a page, newest first. */
async function found(input: object): Promise<unknown[]> {
  const items = await database.page("public.list_security_events", "listSecurityEvents", input);
  return items.map(({ target }) => target);
}

function rowsRead(): Promise<number> {
  return database.count(
    `select (seq_tup_read + idx_tup_fetch)::integer as count from pg_stat_user_tables
     where relid = 'public.security_events'::regclass`,
  );
}

test.each([
  ["a rare word", { q: "zebra" }, ["src_17", "src_10000"]],
  ["two words, one of them common", { q: "BANK crossing" }, ["src_17", "src_10000"]],
  ["a common word", { q: "bank" }, ["src_1", "src_2", "src_4"]],
  ["a word too short for the index", { q: "u7" }, ["src_7", "src_107", "src_157"]],
  ["an ID", { q: "src_19999" }, ["src_19999"]],
  ["a word and a filter", { q: "zebra", actor: "user:u17" }, ["src_17"]],
  ["a wildcard", { q: "zeb%" }, []],
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
  expect((await rowsRead()) - before).toBeLessThan(MAX_ROWS_READ);
});
