import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sql, stack } from "#e2e/fixtures.ts";

type Diagnostic = { severity: string; message: string; category: string };

/** The schema of graphile-worker, which isn't ours to lint. */
const NOT_OURS = /`graphile_worker\./;

/** Functions that read only the caller's claims or permissions, which belong to no tenant. */
const WITHOUT_TENANT = [
  "private.address_of_caller()",
  "private.may(text[])",
  "private.may_call(text)",
  "private.permitted(text[])",
  "private.readable_events()",
  "private.require_readable_events(text[])",
  "private.sessions_of_caller(integer)",
];

/**
 * Tables that belong to no tenant, or that are used to find one. A distributed Postgres copies them
 * to every node, or stores them on one.
 */
const GLOBAL = [
  "public.tenants",
  "private.account_index",
  "private.api_key_secrets",
  "private.event_kinds",
  "private.invitation_tokens",
  "private.operations",
  "private.password_resets",
  "private.permissions",
  "private.quotas",
  "private.sessions",
  "private.usage_batches",
  "private.heartbeats",
];

/**
 * The columns that separate tenants: the tenant's ID, or the chain of its events, which is that ID,
 * or * for events without a tenant.
 */
const TENANT_COLUMNS = ["tenant_id", "chain"];

describe("the schema", () => {
  test("has nothing at ERROR or WARN by Supabase's database lints", () => {
    const linter = join(import.meta.dirname, "../../../node_modules/.bin/postgres-language-server");
    const options = [
      "--reporter=json",
      "--max-diagnostics=none",
      "--connection-string",
      stack.databaseUrl,
    ];
    const report = execFileSync(linter, ["dblint", ...options], {
      cwd: tmpdir(),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const { diagnostics } = JSON.parse(report) as { diagnostics: Diagnostic[] };
    expect(diagnostics.some(({ category }) => category.startsWith("splinter/"))).toBe(true);
    const serious = diagnostics.filter(
      ({ severity, message }) => severity !== "info" && !NOT_OURS.test(message),
    );
    expect(serious).toEqual([]);
  });

  // Lints 0028 and 0029, which the linter doesn't have yet, forbid exposed security definer
  // functions. docs/decisions/0001 says why those that write are an exception.
  test("only functions that write for a caller run with their owner's rights", async () => {
    const wrong = await sql(`
      select p.proname, p.prosecdef from pg_proc p
      left join private.operations o on o.verb = p.proname
      where pronamespace = 'public'::regnamespace
      group by 1, 2 having prosecdef <> coalesce(bool_and(o.permission !~ '^read:'), false)`);
    expect(wrong).toEqual([]);
  });

  test("grants no API role a write of any table", async () => {
    const granted = await sql(`
      select c.oid::regclass::text as name, r.rolname, p.privilege
      from pg_class c, (values ('anon'), ('authenticated'), ('service_role')) r (rolname),
        (values ('insert'), ('update'), ('delete')) p (privilege)
      where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace,
        'partitions'::regnamespace) and c.relkind in ('r', 'p', 'v', 'm')
        and case p.privilege when 'delete' then has_table_privilege(r.rolname, c.oid, 'delete')
          else has_any_column_privilege(r.rolname, c.oid, p.privilege) end`);
    expect(granted).toEqual([]);
  });

  test("limits security definer functions to the caller's own tenant", async () => {
    const unbound = await sql<{ name: string }>(`
      select p.oid::regprocedure::text as name from pg_proc p
      where pronamespace = 'private'::regnamespace and prosecdef
        and prosrc !~ 'private\\.tenant_id\\(\\)'
        and (has_function_privilege('authenticated', oid, 'execute')
          or has_function_privilege('anon', oid, 'execute')) order by 1`);
    expect(unbound.map(({ name }) => name)).toEqual(WITHOUT_TENANT);
  });

  test("has no function that depends on a search_path", async () => {
    const dependent = await sql(`
      select p.oid::regprocedure::text as name from pg_proc p
      where pronamespace in ('public'::regnamespace, 'private'::regnamespace)
        and not coalesce(proconfig, '{}') @> array['search_path=""']`);
    expect(dependent).toEqual([]);
  });

  test("lets PUBLIC execute no function", async () => {
    const open = await sql(`
      select p.oid::regprocedure::text as name
      from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
      where pronamespace in ('public'::regnamespace, 'private'::regnamespace) and a.grantee = 0`);
    expect(open).toEqual([]);
  });

  test("grants no API role a privilege that row-level security doesn't restrict", async () => {
    const granted = await sql(`
      select c.oid::regclass::text as name, r.rolname, p.privilege
      from pg_class c, (values ('anon'), ('authenticated'), ('service_role')) r (rolname),
        (values ('truncate'), ('references'), ('trigger'), ('maintain')) p (privilege)
      where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
        and c.relkind in ('r', 'p', 'v', 'm')
        and has_table_privilege(r.rolname, c.oid, p.privilege)`);
    expect(granted).toEqual([]);
  });

  test("begins every primary and unique key of a tenant's table with the tenant", async () => {
    const others = await sql(
      `select c.oid::regclass::text as table,
         coalesce(i.indexrelid::regclass::text, 'no primary key') as key
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       left join pg_index i on i.indrelid = c.oid and i.indisunique
       left join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0] and a.attnotnull
       where n.nspname in ('public', 'private') and c.relkind in ('r', 'p')
         and c.oid::regclass::text <> all ($1)
         and coalesce(a.attname, '') <> all ($2)`,
      [GLOBAL.map((name) => name.replace("public.", "")), TENANT_COLUMNS],
    );
    expect(others).toEqual([]);
  });

  test("includes the tenant in every foreign key", async () => {
    const others = await sql(
      `select k.conrelid::regclass::text as table, k.conname as key from pg_constraint k
       join pg_namespace n on n.oid = k.connamespace
       where k.contype = 'f' and n.nspname in ('public', 'private')
         and exists (select from pg_attribute a where a.attrelid = k.confrelid
           and a.attname = any ($1))
         and not exists (
           select from unnest(k.conkey, k.confkey) as pair (here, there)
           join pg_attribute a on a.attrelid = k.conrelid and a.attnum = pair.here
           join pg_attribute b on b.attrelid = k.confrelid and b.attnum = pair.there
           where a.attname = any ($1) and b.attname = any ($1))`,
      [TENANT_COLUMNS],
    );
    expect(others).toEqual([]);
  });

  test("has row-level security on every table", async () => {
    const open = await sql(`
      select oid::regclass::text as name from pg_class
      where relnamespace in ('public'::regnamespace, 'private'::regnamespace,
        'partitions'::regnamespace)
        and relkind in ('r', 'p') and not relrowsecurity`);
    expect(open).toEqual([]);
  });
});
