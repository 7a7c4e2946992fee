import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { createTenant, signToken, sql, stack } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import { until } from "#e2e/until.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import { createFixture, invoke } from "../contracts/operation.ts";
import type { Fixture } from "../contracts/samples.ts";

type Table = { name: string; tenant_column: string | null };
type Verb = { name: string; names: string[]; types: string[]; open: boolean };

/** The credentials without a tenant. None of them may read any row. */
const WITHOUT_TENANT: Record<string, () => Promise<string>> = {
  "the publishable key": async () => stack.publishableKey,
  "a user signed in by Supabase Auth": memoize(signedInUser),
  "a token without claims": () => databaseToken({}),
  "a token of the anon role": () => databaseToken({ role: "anon" }),
  "a token that names its tenant elsewhere": () =>
    databaseToken({
      user_metadata: { tenant_id: victim.tenant },
      app_metadata: { tenant_id: victim.tenant, principal_type: "user", roles: ["tenant_admin"] },
    }),
};

const tables = await sql<Table>(`
  select c.relname as name,
    (select attname from pg_attribute a where a.attrelid = c.oid
      and a.attname = case c.relname when 'tenants' then 'id' else 'tenant_id' end) as tenant_column
  from pg_class c where c.relnamespace = 'public'::regnamespace
    and c.relkind in ('r', 'p', 'v', 'm') order by 1`);

const verbs = await sql<Verb>(`
  select p.proname as name, coalesce(p.proargnames, '{}') as names,
    array(select format_type(t, null) from unnest(p.proargtypes) t) as types,
      has_function_privilege('authenticated', p.oid, 'execute') as open
  from pg_proc p where p.pronamespace = 'public'::regnamespace order by 1`);

/** Longer than the interval at which servers write the counts that they hold in memory. */
const COUNTED_TIMEOUT_MS = 6_000;

let victim: Fixture;
let exceptionId: string;

beforeAll(async () => {
  victim = await createFixture();
  for (const contract of CONTRACTS) await invoke(contract, victim);
  // Stops what would change by itself: the end of a grace period, runs, imports and their events.
  await sql(
    `update api_keys set grace_expires_at = now() + interval '1 day' where tenant_id = $1
       and grace_expires_at is not null and revoked_at is null`,
    [victim.tenant],
  );
  // Channels receive nothing about earlier events either.
  for (const table of ["alert_events", "alerts"])
    await sql(`delete from private.${table} where tenant_id = $1`, [victim.tenant]);
  await until("no job of the victim is waiting", async () => {
    // A push to a server that doesn't exist would be retried for days.
    await sql(
      "select graphile_worker.remove_job('push:' || id) from entry_batches where tenant_id = $1",
      [victim.tenant],
    );
    const jobs = await sql(
      `select from graphile_worker._private_jobs
       where payload ->> 'tenant_id' = $1 and attempts < max_attempts`,
      [victim.tenant],
    );
    return jobs.length === 0;
  });
  await until("no delivery of the victim is under way or due", async () => {
    const waiting = "tenant_id = $1 and status = 'pending'";
    await sql(
      `update webhook_deliveries set next_attempt_at = now() + interval '1 day'
       where ${waiting} and lease is null`,
      [victim.tenant],
    );
    return (
      (
        await sql(`select from webhook_deliveries where ${waiting} and lease is not null`, [
          victim.tenant,
        ])
      ).length === 0
    );
  });
  // Servers write the counts that they hold in memory every few seconds.
  await until("nothing of the victim changes by itself any more", async () => {
    const before = await digests();
    await new Promise((resolve) => setTimeout(resolve, COUNTED_TIMEOUT_MS));
    return isDeepStrictEqual(await digests(), before);
  });
  exceptionId = await someId();
});

// The gate tries only another tenant's admin, who sees more than each of these.
describe.runIf(WHOLE).each(Object.entries(WITHOUT_TENANT))(
  "%s, straight at the Data API",
  (_name, credential) => {
    test.each(tables)("reads nothing of $name", async ({ name }) => {
      const { status, text } = await rest(await credential(), "GET", name);
      if (status < 400) expect(text).toBe("[]");
    });

    const before = digestsBefore();

    test.each(verbs)("is refused by $name", async (verb) => {
      for (const input of [{}, { id: exceptionId }]) {
        const { status } = await rest(
          await credential(),
          "POST",
          `rpc/${verb.name}`,
          argumentsOf(verb, input),
        );
        expect(status).toBeGreaterThanOrEqual(400);
      }
    });

    test("has left everything of the victim unchanged", async () =>
      expect(await digests()).toEqual(before));
  },
);

describe("another tenant's admin directly at the Data API", () => {
  const credential = memoize(async () =>
    databaseToken({
      tenant_id: await createTenant(),
      principal_type: "user",
      principal_id: "user:eve",
      actor: "user:eve",
      roles: ["tenant_admin", "tenant_analyst", "tenant_lead"],
      scopes: [],
    }),
  );

  test.each(tables)("reads only its own rows of $name", async ({ name, tenant_column }) => {
    const { status, text } = await rest(await credential(), "GET", name);
    expect(text).not.toContain(victim.tenant);
    if (tenant_column && status < 400) {
      expect(
        (await rest(await credential(), "GET", `${name}?${tenant_column}=eq.${victim.tenant}`))
          .text,
      ).toBe("[]");
    }
  });

  const before = digestsBefore();

  test.each(verbs)("gets none of its data from $name", async (verb) => {
    const { status, text } = await rest(
      await credential(),
      "POST",
      `rpc/${verb.name}`,
      argumentsOf(verb, { id: exceptionId, limit: 250 }),
    );
    expect(text).not.toContain(victim.tenant);
    if (!verb.open) expect(status).toBeGreaterThanOrEqual(400);
  });

  test("has left everything of the victim unchanged", async () =>
    expect(await digests()).toEqual(before));
});

describe("the Data API", () => {
  test("does not expose the private schema", async () => {
    const hidden = await sql<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'private'::regnamespace
         and relkind in ('r', 'v') union all select 'rpc/' || proname from pg_proc
       where pronamespace = 'private'::regnamespace`,
    );
    // One setting hides the whole schema, so the gate tries only a tenth of it.
    for (const { name } of hidden.filter((_, place) => WHOLE || place % 10 === 0)) {
      for (const profile of ["private", "public"]) {
        const answer = await rest(
          stack.secretKey,
          "POST",
          name,
          {},
          { "Content-Profile": profile, "Accept-Profile": profile },
        );
        if (verbs.some((verb) => `rpc/${verb.name}` === name) && profile === "public") continue;
        expect(answer.status, `${profile}.${name}`).toBeGreaterThanOrEqual(400);
      }
    }
  });

  test("rejects a token signed with another key", async () => {
    const forged = await signToken(
      { role: "service_role" },
      { secret: "another-secret-of-at-least-32-bytes!" },
    );
    expect((await rest(forged, "GET", "tenants")).status).toBe(401);
  });
});

/** Calls a function once and returns its result to every caller. */
function memoize<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | undefined;
  return () => {
    answer ??= ask();
    return answer;
  };
}

/** A digest of the victim's rows in a table. */
async function digestOf({ name, tenant_column }: Table): Promise<string> {
  const [row] = await sql<{ digest: string }>(
    `select md5(coalesce(string_agg(t::text, E'\\n' order by t::text), '')) as digest
     from public.${name} t where ${tenant_column} = $1`,
    [victim.tenant],
  );
  return row?.digest ?? "";
}

/** The digests of all of the victim's rows, by table. */
async function digests(): Promise<Map<string, string>> {
  const held = tables.filter(({ tenant_column }) => tenant_column);
  return new Map(
    await Promise.all(
      held.map(async (table): Promise<[string, string]> => [table.name, await digestOf(table)]),
    ),
  );
}

/** The digests at the moment when the tests of a group begin. */
function digestsBefore(): Map<string, string> {
  const found = new Map<string, string>();
  beforeAll(async () => {
    for (const [name, digest] of await digests()) found.set(name, digest);
  });
  return found;
}

async function someId(): Promise<string> {
  const [row] = await sql<{ id: string }>(
    "select id from public.exceptions where tenant_id = $1 limit 1",
    [victim.tenant],
  );
  return row?.id ?? "";
}

function argumentsOf({ names, types }: Verb, input: object): object {
  const values: Record<string, unknown> = {
    text: victim.tenant,
    uuid: "00000000-0000-4000-8000-000000000000",
    integer: 1,
  };
  return Object.fromEntries(
    names.map((name, index) => [
      name,
      name === "input" ? input : (values[types[index] ?? ""] ?? {}),
    ]),
  );
}

async function rest(
  credential: string,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${stack.supabaseUrl}/rest/v1/${path}`, {
    method,
    headers: {
      apikey: stack.publishableKey,
      Authorization: `Bearer ${credential}`,
      "Content-Type": "application/json",
      ...headers,
    },
    body: body && JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

function databaseToken(claims: Record<string, unknown>): Promise<string> {
  return signToken(
    { role: "authenticated", sub: "eve", ...claims },
    { secret: stack.supabaseJwtSecret },
  );
}

async function signedInUser(): Promise<string> {
  const response = await fetch(`${stack.supabaseUrl}/auth/v1/token?grant_type=password`, {
    method: "POST",
    headers: { apikey: stack.publishableKey, "Content-Type": "application/json" },
    body: JSON.stringify({ email: "ada@acme.example", password: "tieout-demo" }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
