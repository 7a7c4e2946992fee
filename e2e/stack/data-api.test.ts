import { randomUUID } from "node:crypto";
import { decodeJwt, SignJWT } from "jose";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "#e2e/until.ts";
import { freshDataDir } from "./data-dir.ts";
import { Supervisor, stackOf } from "./supervisor.ts";

const FUNCTIONS = `
  create table public.stack_notes (id integer primary key);
  create function public.stack_context() returns jsonb language sql as $$
    select jsonb_build_object('role', current_user, 'claims', current_setting('request.jwt.claims')::jsonb) $$;
  create function public.stack_refuse() returns void language plpgsql as $$
    begin raise exception using errcode = 'TO001', message = 'm', detail = '{"d": 1}', hint = 'h'; end $$;
  create function public.stack_note(id integer) returns void language sql security definer as $$
    insert into public.stack_notes values (id) $$;
  create function public.stack_dawdle() returns void language plpgsql set statement_timeout = '200ms' as $$
    begin perform pg_sleep(2); end $$;
  grant execute on function public.stack_context(), public.stack_refuse(), public.stack_note(integer), public.stack_dawdle() to anon, authenticated;
  notify pgrst, 'reload schema';`;
const GRANTS = `select relname as name, relacl::text as acl from pg_class
  where relnamespace in ('public'::regnamespace, 'auth'::regnamespace)
  union all select nspname, nspacl::text from pg_namespace union all select defaclnamespace::text,
    defaclacl::text from pg_default_acl order by 1, 2`;

const DATA_DIR = freshDataDir();
let stack: Supervisor;
let env: Record<string, string>;

beforeAll(async () => {
  stack = await Supervisor.ready({ DATA_DIR });
  env = stackOf(DATA_DIR).env;
  await query(FUNCTIONS);
  await until(
    "the Data API to know the functions",
    async () => (await call("stack_context")).status === 200,
  );
});
afterAll(() => stack.end("SIGTERM"));

async function query(sql: string) {
  const client = new Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
}

async function call(name: string, headers: Record<string, string> = {}, body: object = {}) {
  const response = await fetch(`${env.SUPABASE_URL}/rest/v1/rpc/${name}`, {
    method: "POST",
    headers: {
      apikey: env.SUPABASE_PUBLISHABLE_KEY ?? "",
      "content-type": "application/json",
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  return { status: response.status, body: answer ? JSON.parse(answer) : null };
}

const sign = (claims: object, secret = env.SUPABASE_JWT_SECRET, expires = "1h") =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg: "HS256" })
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(secret));
const bearer = async (token: string | Promise<string>) => ({
  Authorization: `Bearer ${await token}`,
});

describe("the role of a request", () => {
  test("the publishable key alone is anon, with claims that policies can read", async () => {
    expect((await call("stack_context")).body).toEqual({ role: "anon", claims: { role: "anon" } });
  });

  test("the token decides, not the key sent with it", async () => {
    const token = await bearer(sign({ role: "authenticated", sub: "user:ada" }));
    const { body } = await call("stack_context", {
      ...token,
      apikey: env.SUPABASE_SECRET_KEY ?? "",
    });
    expect(body).toMatchObject({ role: "authenticated", claims: { sub: "user:ada" } });
  });

  test.each<[string, () => string | Promise<string>, string]>([
    ["no token at all", () => "garbage", "PGRST301"],
    ["alg none", () => `${btoa('{"alg":"none"}')}.${btoa('{"role":"service_role"}')}.`, "PGRST301"],
    ["another secret", () => sign({ role: "service_role" }, randomUUID()), "PGRST301"],
    [
      "an expired token",
      () => sign({ role: "service_role" }, env.SUPABASE_JWT_SECRET, "-1m"),
      "PGRST303",
    ],
  ])("%s is refused, not served as anon", async (_what, token, code) => {
    expect(await call("stack_context", await bearer(token()))).toMatchObject({
      status: 401,
      body: { code },
    });
  });

  test.each(["postgres", "supabase_admin", "authenticator; drop"])(
    "a token cannot take the role %s",
    async (role) => {
      const { status } = await call("stack_context", await bearer(sign({ role })));
      expect([400, 403]).toContain(status);
    },
  );

  test("a session of Supabase Auth carries the tenants of its user", async () => {
    const response = await fetch(`${env.SUPABASE_URL}/auth/v1/token?grant_type=password`, {
      method: "POST",
      headers: { apikey: env.SUPABASE_PUBLISHABLE_KEY ?? "", "content-type": "application/json" },
      body: JSON.stringify({ email: "sam@tieout.example", password: "tieout-demo" }),
    });
    const { access_token } = (await response.json()) as { access_token: string };
    expect(decodeJwt(access_token)).toMatchObject({
      aud: "authenticated",
      iss: `${env.SUPABASE_URL}/auth/v1`,
      app_metadata: { tenants: { acme: ["tenant_admin"], globex: ["tenant_analyst"] } },
    });
    expect((await call("stack_context", await bearer(access_token))).body.role).toBe(
      "authenticated",
    );
  });
});

test("a function's own time limit applies from the start of its call", async () => {
  expect(await call("stack_dawdle")).toMatchObject({ body: { code: "57014" } });
});

test("a function's own time limit applies to a direct call, too", async () => {
  Object.assign(process.env, env);
  const { callDirectly } = await import("#lib/db/direct/call-directly.ts");
  expect(await callDirectly({ role: "anon", actor: "anon" }, "stack_dawdle", {})).toMatchObject({
    error: { code: "57014" },
  });
});

test("an error of a function keeps its code, detail and hint", async () => {
  expect(await call("stack_refuse")).toEqual({
    status: 400,
    body: { code: "TO001", message: "m", details: '{"d": 1}', hint: "h" },
  });
});

test("serving requests grants nothing to anyone", async () => {
  const before = await query(GRANTS);
  await call("stack_context", await bearer(sign({ role: "authenticated" })));
  await call("stack_context");
  expect(await query(GRANTS)).toEqual(before);
});

test("the role for migrations and the Data API's own role have no excess rights", async () => {
  const roles = await query(`select rolname, rolsuper, rolbypassrls, rolinherit from pg_roles
    where rolname in ('postgres', 'authenticator') order by 1`);
  expect(roles).toEqual([
    { rolname: "authenticator", rolsuper: false, rolbypassrls: false, rolinherit: false },
    { rolname: "postgres", rolsuper: false, rolbypassrls: true, rolinherit: true },
  ]);
});

test("Postgres killed under load loses no acknowledged write, and answers 503", async () => {
  const acknowledged: number[] = [];
  const refusals = new Set<number>();
  let next = 0;
  let over = false;
  const writer = async () => {
    while (!over) {
      const id = next++;
      const { status } = await call("stack_note", {}, { id });
      if (status < 300) acknowledged.push(id);
      else refusals.add(status);
    }
  };
  const writers = Array.from({ length: 16 }, writer);
  await until("writes", () => acknowledged.length > 200);

  const postgres = stack.pidOf("postgres");
  const dataApi = stack.pidOf("data-api");
  process.kill(postgres, "SIGQUIT");
  await until("Postgres to be started again", () => stack.pidOf("postgres") !== postgres);
  const before = acknowledged.length;
  await until("writes after the outage", () => acknowledged.length > before + 200);
  over = true;
  await Promise.all(writers);

  const remaining = new Set((await query("select id from public.stack_notes")).map(({ id }) => id));
  expect(acknowledged.filter((id) => !remaining.has(id))).toEqual([]);
  expect([...refusals]).toEqual([503]);
  expect(stack.pidOf("data-api")).toBe(dataApi);
});
