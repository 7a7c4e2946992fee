/**
 * What tests need from the running stack: addresses, credentials, new tenants, calls to /v1 and
 * SQL.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SignJWT } from "jose";
import { Pool } from "pg";
import type { Role } from "#lib/wire/access.ts";
import { stackEnvironment } from "../supervisor/stack-file.ts";

const environment = stackEnvironment();

export const stack = {
  url: required("NEXTAUTH_URL"),
  supabaseUrl: required("SUPABASE_URL"),
  databaseUrl: required("DATABASE_URL"),
  publishableKey: required("SUPABASE_PUBLISHABLE_KEY"),
  secretKey: required("SUPABASE_SECRET_KEY"),
  jwtSecret: required("AUTH_JWT_SECRET"),
  supabaseJwtSecret: required("SUPABASE_JWT_SECRET"),
  encryptionKeys: required("ENCRYPTION_KEYS"),
};

/** The owner's connection, to which no policy applies. */
export const database = new Pool({
  connectionString: stack.databaseUrl,
  max: 4,
  allowExitOnIdle: true,
});
// A stopping stack closes idle connections.
database.on("error", () => {});

/** The superuser's connection, to which no policy, grant or trigger applies. */
export function superuserUrl(): string {
  return databaseUrlOf("supabase_admin", "POSTGRES_ADMIN_PASSWORD");
}

/**
 * The REQUEST_DATABASE_URL of a stack with direct calls, also available if this one uses the Data
 * API.
 */
export function requestDatabaseUrl(): string {
  return databaseUrlOf("authenticator", "POSTGRES_AUTHENTICATOR_PASSWORD");
}

function databaseUrlOf(role: string, secret: string): string {
  const url = new URL(stack.databaseUrl);
  url.username = role;
  url.password = JSON.parse(
    readFileSync(join(stackEnvironment().DATA_DIR ?? ".data", "secrets.json"), "utf8"),
  )[secret];
  return url.href;
}

export async function sql<Row extends object>(
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return (await database.query<Row>(text, values)).rows;
}

/**
 * Runs a statement that may write any row of exceptions, regardless of its clock and history, to
 * simulate the passing of time.
 */
export async function writtenByHand<Row extends object>(
  text: string,
  values: unknown[],
): Promise<Row[]> {
  const client = await database.connect();
  try {
    await client.query("begin");
    await client.query("select set_config('app.writes_exceptions', 'on', true)");
    const { rows } = await client.query<Row>(text, values);
    await client.query("commit");
    return rows;
  } finally {
    client.release(true);
  }
}

/** The current transaction ID, for `tablesHolding`. */
export async function transactionNow(): Promise<string> {
  const [row] = await sql<{ now: string }>(
    "select pg_snapshot_xmax(pg_current_snapshot())::text as now",
  );
  return row?.now ?? "";
}

/** The tables of all our schemas that contain one of these texts in a row written since `since`. */
export async function tablesHolding(texts: string[], since: string): Promise<string[]> {
  const tables = await sql<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('public', 'private', 'graphile_worker', 'auth')`,
  );
  const holding: string[] = [];
  for (const { name } of tables) {
    const written = `select from ${name} t where age(t.xmin) <= age($2::xid8::xid)`;
    const found = `select exists (${written} and exists (select from unnest($1::text[]) x
        where strpos(t::text, x) > 0)) as held`;
    if ((await sql<{ held: boolean }>(found, [texts, since]))[0]?.held) holding.push(name);
  }
  return holding;
}

export function uniqueName(prefix: string): string {
  return `${prefix}-${randomBytes(6).toString("hex")}`;
}

/** Creates a tenant that no other test uses. */
export async function createTenant(id = uniqueName("t")): Promise<string> {
  await sql("select private.create_tenant($1, $2)", [id, `Tenant ${id}`]);
  return id;
}

/** The password of every user of the local stack. */
export const PASSWORD = "tieout-demo";

/**
 * Signs claims as the identity provider does. `secret` and `expires` are for tokens that must be
 * refused.
 */
export function signToken(
  claims: Record<string, unknown>,
  { secret = stack.jwtSecret, expires = "1h" } = {},
): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(secret));
}

/** The token of a user with these roles in one tenant. */
export function userToken(tenant: string, roles: readonly Role[], name = "ada"): Promise<string> {
  return signToken({
    sub: `${name}-of-${tenant}`,
    preferred_username: name,
    tenants: { [tenant]: roles },
  });
}

/** Creates a user of Supabase Auth with the common password. */
export async function enrol(
  tenants: Record<string, Role[]>,
  name = uniqueName("person"),
): Promise<{ id: string; name: string; email: string }> {
  const email = `${name}@tieout.example`;
  const [user] = await sql<{ id: string }>(
    `with made as (
       insert into auth.users (
         instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
           raw_app_meta_data, raw_user_meta_data,
         confirmation_token, recovery_token, email_change, email_change_token_new,
           email_change_token_current,
         phone_change, phone_change_token, reauthentication_token, created_at, updated_at)
       values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated',
         'authenticated', $1,
         extensions.crypt($2, extensions.gen_salt('bf', 4)), now(),
           jsonb_build_object('tenants', $3::jsonb), '{}',
         '', '', '', '', '', '', '', '', now(), now())
       returning id, email)
     insert into auth.identities (id, provider, provider_id, user_id, identity_data,
       last_sign_in_at, created_at, updated_at)
     select gen_random_uuid(), 'email', id::text, id,
       jsonb_build_object('sub', id, 'email', email, 'email_verified', true), now(), now(), now()
     from made returning user_id as id`,
    [email, PASSWORD, JSON.stringify(tenants)],
  );
  return { id: user?.id ?? "", name, email };
}

export type Call = {
  bearer?: string;
  /** Several tenants are sent as several headers. */
  tenant?: string | readonly string[];
  query?: Record<string, string> | [name: string, value: string][];
  /** Sent as JSON; a string or bytes are sent unchanged. */
  body?: object | string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
};

export type Answer = {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
  text: string;
  json: unknown;
};

/** Calls the stack under test. Adds nothing except `application/json` for a body. */
export async function api(
  method: string,
  path: string,
  { bearer, tenant = [], query, body, headers }: Call = {},
): Promise<Answer> {
  const sent = new Headers(body === undefined ? {} : { "Content-Type": "application/json" });
  if (bearer !== undefined) sent.set("Authorization", `Bearer ${bearer}`);
  for (const one of typeof tenant === "string" ? [tenant] : tenant) sent.append("X-Tenant-Id", one);
  for (const [name, value] of Object.entries(headers ?? {})) sent.set(name, value);
  const search = query ? `?${new URLSearchParams(query)}` : "";
  const raw =
    body === undefined || typeof body === "string" || body instanceof Uint8Array
      ? body
      : JSON.stringify(body);
  const response = await fetch(`${stack.url}${path}${search}`, {
    method,
    headers: sent,
    body: raw,
    redirect: "manual",
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  return { status: response.status, headers: response.headers, bytes, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function required(name: string): string {
  const value = environment[name];
  if (!value)
    throw new Error(
      `${name} is not set, and no stack runs on DATA_DIR. Run the tests by npm test.`,
    );
  return value;
}
