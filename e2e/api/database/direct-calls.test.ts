import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTenant, requestDatabaseUrl, sql, uniqueName } from "#e2e/fixtures.ts";
import type { Principal } from "#lib/auth/principal.ts";
import { type Claims, claimsOf, SERVICE_CLAIMS } from "#lib/db/claims.ts";
import { callDirectly, setRoleStatement } from "#lib/db/direct/call-directly.ts";
import { PipelinedTransaction } from "#lib/db/direct/pipelined-transaction.ts";
import { callOverHttp } from "#lib/db/http-transport.ts";
import { configureDirectCalls } from "./configure-direct-calls.ts";

const url = new URL(requestDatabaseUrl());
const role = url.username;

const person: Principal = {
  type: "user",
  issuer: "",
  sessionId: null,
  id: "ada",
  lineageId: "ada",
  name: "ada",
  roles: ["tenant_admin"],
  scopes: [],
};
const key: Principal = {
  type: "api_key",
  issuer: "",
  sessionId: null,
  id: "key_1",
  lineageId: "key_1",
  name: "k",
  roles: [],
  scopes: ["read:exceptions"],
};
const requestOf = (operation: string) => ({ operation, request_id: "req_1", address: "127.0.0.1" });

let tenant: string;
let other: string;
let othersException: string;

beforeAll(async () => {
  configureDirectCalls(url.href);
  [tenant, other] = [await createTenant(), await createTenant()];
  const created = await callDirectly(claimsOf(person, other), "create_exception", {
    input: { title: "Theirs", severity: "high", due_at: "2999-01-01T00:00:00.000Z" },
    request: requestOf("createException"),
  });
  othersException = (created.data as { body: { id: string } }).body.id;
});

describe("the login role of direct calls", () => {
  test("owns nothing and may only become the three roles of requests", async () => {
    expect(
      await sql(
        `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolinherit,
           (select count(*)::int from pg_shdepend where refobjid = r.oid
             and refclassid = 'pg_authid'::regclass and deptype = 'o') as owned,
           array(select roleid::regrole::text from pg_auth_members where member = r.oid
             order by 1) as becomes
         from pg_roles r where rolname = $1`,
        [role],
      ),
    ).toEqual([
      {
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        rolinherit: false,
        owned: 0,
        becomes: ["anon", "authenticated", "service_role"],
      },
    ]);
  });

  test("has no rights as itself", async () => {
    const allowed = await sql(
      `select c.oid::regclass::text as name
       from pg_class c, unnest(array['select','insert','update','delete']) privilege
         where relnamespace in ('public'::regnamespace, 'private'::regnamespace)
           and relkind in ('r', 'p', 'v', 'm')
           and has_table_privilege($1, c.oid, privilege)
       union all
       select oid::regprocedure::text from pg_proc
         where pronamespace in ('public'::regnamespace, 'private'::regnamespace)
           and has_function_privilege($1, oid, 'execute')`,
      [role],
    );
    expect(allowed).toEqual([]);
  });
});

describe("policies and refusals", () => {
  const callers: Record<string, (tenant: string) => Claims> = {
    "a person of every role": (of) =>
      claimsOf({ ...person, roles: ["tenant_admin", "tenant_analyst", "tenant_lead"] }, of),
    "an analyst": (of) => claimsOf({ ...person, roles: ["tenant_analyst"] }, of),
    "a person of no role": (of) => claimsOf({ ...person, roles: [] }, of),
    "a key that reads exceptions": (of) => claimsOf(key, of),
    "the publishable key": (of) => claimsOf({ ...person, type: "publishable_key" }, of),
    "the service-role key": (of) => claimsOf({ ...person, type: "service_role" }, of),
    "the server itself": () => SERVICE_CLAIMS,
  };

  test.each(Object.entries(callers))(
    "are the same on both ways to the database for %s",
    async (_name, claims) => {
      const verbs = await sql<{ verb: string; operation: string }>(
        "select verb, operation from private.operations order by 1, 2",
      );
      expect(verbs.length).toBeGreaterThan(50);
      // Both ways refuse these inputs, or both carry them out.
      const inputs = [{}, { id: othersException, key_id: othersException }, { limit: "x" }];
      for (const input of inputs) {
        // One after another, because calls that wait for each other's locks would time out instead
        // of being refused by a policy.
        for (const { verb, operation } of verbs) {
          const args = { input, request: { ...requestOf(operation), dry_run: {} } };
          const direct = await callDirectly(claims(tenant), verb, args);
          expect(outcome(direct), `${verb} ${JSON.stringify(input)}`).toEqual(
            outcome(await callOverHttp(claims(tenant), verb, args)),
          );
        }
      }
    },
  );

  test("never return another tenant's rows, even by ID", async () => {
    const theirs = (of: string) =>
      callDirectly(claimsOf(person, of), "get_exception", {
        input: { id: othersException },
        request: requestOf("getException"),
      });
    expect((await theirs(other)).data).toMatchObject({ title: "Theirs" });
    expect(await theirs(tenant)).toMatchObject({
      data: null,
      error: { code: "TO001", message: "not_found" },
    });
  });
});

describe("a call leaves nothing to the next on its connection", () => {
  const client = new Client({ connectionString: url.href });
  beforeAll(() => client.connect());
  afterAll(() => client.end());

  const asAda = (...texts: string[]) =>
    client.query(
      new PipelinedTransaction(
        [
          setRoleStatement(claimsOf(person, tenant)),
          ...texts.map((text) => ({ name: uniqueName("s"), text, values: [] })),
        ],
        {
          prepare: true,
        },
      ),
    ).result;

  const WHAT_CALLS_DO = [
    "select set_config('app.operation', 'createException', true)",
    "select set_config('search_path', 'nowhere', true)",
    "select pg_advisory_xact_lock(1)",
    "create temp table left_behind on commit drop as select 1",
  ];

  const ENDS: [string, RegExp, ...string[]][] = [
    [
      "answered",
      /^authenticated.*"sub":"ada"/,
      "select current_user || current_setting('request.jwt.claims')",
    ],
    [
      "refused",
      /^not_found$/,
      `select public.get_exception(input => '{}', request => '{"operation": "getException"}')`,
    ],
    [
      "out of time",
      /statement timeout/,
      "select set_config('statement_timeout', '10ms', true)",
      "select pg_sleep(5)",
    ],
  ];

  test.each(ENDS)("that was %s", async (_how, expected, ...last) => {
    expect(await asAda(...WHAT_CALLS_DO, ...last).catch((error: Error) => error.message)).toMatch(
      expected,
    );
    const { rows } = await client.query(
      `select current_user, session_user,
         coalesce(current_setting('request.jwt.claims', true), '') as claims,
         coalesce(current_setting('app.operation', true), '') as operation,
           current_setting('search_path') as search_path,
         current_setting('statement_timeout') as statement_timeout,
         to_regclass('pg_temp.left_behind') as temp_table,
         (select count(*)::int from pg_locks where pid = pg_backend_pid()
           and locktype = 'advisory') as locks`,
    );
    expect(rows).toEqual([
      {
        current_user: role,
        session_user: role,
        claims: "",
        operation: "",
        search_path: '"$user", public',
        statement_timeout: "8s",
        temp_table: null,
        locks: 0,
      },
    ]);
  });

  test("no function stores anything in a session, except in tables that the commit empties", async () => {
    const keeping = await sql(`
      select oid::regprocedure::text as name from pg_proc
      where pronamespace in ('public'::regnamespace, 'private'::regnamespace) and (
        prosrc ~* '(pg_(try_)?advisory_lock(_shared)?\\s*\\(|set_config\\([^;]*,\\s*false\\)|\\mlisten\\M|set\\s+session\\s)'
        or exists (
          select from regexp_matches(prosrc, 'create\\s+temp(?:orary)?\\s+table\\s[^;]*;', 'gi') made
          where made[1] !~* 'on\\s+commit\\s+(drop|delete\\s+rows)'
        )
      )`);
    expect(keeping).toEqual([]);
    // A view of such a table is dropped with it.
    await sql(
      "begin; create temp table t (n integer) on commit " +
        "drop; create temp view v as select * from t; commit",
    );
    expect(await sql("select from pg_class where relname = 'v' and relpersistence = 't'")).toEqual(
      [],
    );
    const held = await sql(
      `select l.locktype from pg_locks l join pg_stat_activity a using (pid)
       where a.usename = $1 and a.state = 'idle' and l.locktype = 'advisory'`,
      [role],
    );
    expect(held).toEqual([]);
  });
});

/** The outcome of a call, without what differs between calls. */
function outcome({ data, error }: Awaited<ReturnType<typeof callDirectly>>): unknown {
  if (!error) return Object.keys(data ?? {}).sort();
  const { code, message, details, hint } = error;
  // The details of a violated constraint contain the row, whose ID differs.
  return {
    code,
    message,
    details: code?.startsWith("23") ? null : (details ?? null),
    hint: hint ?? null,
  };
}
