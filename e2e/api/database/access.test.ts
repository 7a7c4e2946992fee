import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTenant, requestDatabaseUrl, sql, uniqueName } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import type { Claims } from "#lib/db/claims.ts";
import { callDirectly } from "#lib/db/direct/call-directly.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import { allows, type Holder, ROLES, type Role } from "#lib/wire/access.ts";
import { SCOPES } from "#lib/wire/scopes.ts";
import { configureDirectCalls } from "./configure-direct-calls.ts";

// Bypasses the application with the claims that it gives its own database client. Every exposed
// function must enforce the access that the contract of its operation states, for every principal.
// direct-calls.test.ts proves that a function treats a token at the Data API like these claims.

type Persona = {
  name: string;
  role: "anon" | "authenticated" | "service_role";
  holder: Holder | null;
  claims?: object;
};
type Exposed = {
  name: string;
  body: string;
  anon: boolean;
  authenticated: boolean;
  service_role: boolean;
};

const user = (roles: Role[]): Persona => ({
  name: `a user with ${roles.join(" and ") || "no role"}`,
  role: "authenticated",
  holder: { type: "user", roles },
});
const key = (...scopes: (typeof SCOPES)[number][]): Persona => ({
  name: `an API key with ${scopes.length === SCOPES.length ? "every scope" : scopes.join(" and ") || "no scope"}`,
  role: "authenticated",
  holder: { type: "api_key", scopes },
});

const PERSONAS: Persona[] = [
  // The gate tries one principal of each kind, `npm run proof` every subset of roles and every scope.
  ...(WHOLE ? subsets(ROLES) : [[], ...ROLES.map((role) => [role])]).map(user),
  key(),
  ...(WHOLE ? SCOPES : []).map((scope) => key(scope)),
  key(...SCOPES),
  { name: "the service-role key", role: "authenticated", holder: { type: "service_role" } },
  { name: "the publishable key", role: "anon", holder: { type: "publishable_key" } },
  // Claims that none of our credentials has.
  {
    name: "an API key with the roles of a user",
    role: "authenticated",
    holder: null,
    claims: { principal_type: "api_key", roles: ROLES },
  },
  {
    name: "a user with the scopes of a key",
    role: "authenticated",
    holder: null,
    claims: { principal_type: "user", scopes: SCOPES },
  },
  {
    name: "a principal of no kind",
    role: "authenticated",
    holder: null,
    claims: { roles: ROLES, scopes: SCOPES },
  },
  { name: "nobody", role: "anon", holder: null },
  { name: "the server's own role", role: "service_role", holder: null },
];

/**
 * Principals with mixed claims still count as a user or a key, so they pass where any user or any key
 * of the tenant may call.
 */
const KIND_OF_MIXED_CLAIMS: Record<string, Holder> = {
  "an API key with the roles of a user": { type: "api_key" },
  "a user with the scopes of a key": { type: "user" },
};

/** A key may list events if its scopes let it read at least one type of event. */
const eventScopes = new Set(
  (
    await sql<{ scope: string }>(
      `select distinct p.scope from private.event_kinds k
       join private.permissions p using (permission)`,
    )
  ).map(({ scope }) => scope),
);

const exposed = await sql<Exposed>(`
  select p.proname as name, p.prosrc as body,
    has_function_privilege('anon', oid, 'execute') as anon,
    has_function_privilege('authenticated', oid, 'execute') as authenticated,
      has_function_privilege('service_role', oid, 'execute') as service_role
  from pg_proc p where p.pronamespace = 'public'::regnamespace order by 1`);

const served = CONTRACTS.flatMap(({ operationId, functions, access }) =>
  functions.map((name) => ({ name, operationId, access })),
);
const verbs = exposed.filter(({ name }) => served.some((item) => item.name === name));
const servers = exposed.filter((item) => !verbs.includes(item));

let tenant: string;
let calls = 0;
beforeAll(async () => {
  configureDirectCalls(requestDatabaseUrl());
  tenant = await createTenant();
});
afterAll(() =>
  console.log(
    `${verbs.length + servers.length} functions, ${PERSONAS.length} principals, ${calls} calls`,
  ),
);

describe("who may call what in the database", () => {
  test.each(served)(
    "$name admits for $operationId exactly the callers that the contract names",
    async ({ name, operationId, access }) => {
      const deviations: string[] = [];
      await each(PERSONAS, async (persona) => {
        const holder = persona.holder ?? KIND_OF_MIXED_CLAIMS[persona.name];
        const readsNoEvent =
          holder?.type === "api_key" && !holder.scopes?.some((scope) => eventScopes.has(scope));
        const isAllowed =
          holder !== undefined &&
          allows(access, holder) &&
          !(readsNoEvent && name === "list_events");
        const { refused, answer } = await call(
          name,
          persona,
          operationId,
          access.permission.split(":")[1],
        );
        if (refused === isAllowed)
          deviations.push(`${persona.name} is ${refused ? "refused" : "allowed"}: ${answer}`);
      });
      expect(deviations).toEqual([]);
    },
  );

  test.each(verbs)("$name serves only its own operation", async ({ name }) => {
    const foreign = CONTRACTS.filter(({ functions }) => !functions.includes(name));
    // One of each permission.
    const others = [
      ...new Map(
        foreign.map(({ operationId, access }) => [access.permission, operationId]),
      ).values(),
    ];
    const own = served.find((item) => item.name === name);
    const admin = user([...ROLES]);
    const resource = own?.access.permission.split(":")[1];
    const deviations: string[] = [];
    await each([...others, "", "noSuchOperation"], async (operation) => {
      if (!(await call(name, admin, operation, resource)).refused) deviations.push(operation);
    });
    expect(deviations).toEqual([]);
  });

  test.each(servers)("only the server may call $name", async ({ name }) => {
    const deviations: string[] = [];
    await each(
      PERSONAS.filter(({ role }) => role !== "service_role"),
      async (persona) => {
        const { refused } = await call(name, persona, "getMe");
        if (!refused) deviations.push(persona.name);
      },
    );
    expect(deviations).toEqual([]);
  });

  test.each(verbs)(
    "$name is executable by the roles that its operations need",
    ({ name, anon, authenticated, service_role }) => {
      const publishable = served.some((item) => item.name === name && item.access.publishable);
      expect({ anon, authenticated, service_role }).toEqual({
        anon: publishable,
        authenticated: true,
        service_role: false,
      });
    },
  );

  test.each(verbs)(
    "$name begins with begin_request or begin_write under its own name",
    ({ name, body }) => {
      const first =
        /^\s*(?:declare\s+replayed constant jsonb := private\.begin_write\(request|(?:declare.*?\s)?begin\s+perform private\.begin_request\(request(?: \|\| '\{"continues": true\}')?), '(\w+)'/s;
      expect(first.exec(body)?.[1]).toBe(name);
    },
  );

  test("a principal of an unknown tenant is refused everywhere", async () => {
    const deviations: string[] = [];
    await each(served, async ({ name, operationId, access }) => {
      const stranger = { ...user([...ROLES]), claims: { tenant_id: uniqueName("t") } };
      if (!(await call(name, stranger, operationId, access.permission.split(":")[1])).refused)
        deviations.push(name);
    });
    expect(deviations).toEqual([]);
  });
});

async function call(
  name: string,
  { role, holder, claims }: Persona,
  operation: string,
  surface?: string,
) {
  calls++;
  const type = holder?.type;
  const { error, data } = await callDirectly(
    {
      role,
      sub: "eve",
      ...(role !== "service_role" && {
        tenant_id: tenant,
        principal_id: "user:eve",
        actor: "user:eve",
        roles: [],
        scopes: [],
      }),
      ...(type && {
        principal_type: type,
        roles: holder?.roles ?? [],
        scopes: holder?.scopes ?? [],
      }),
      ...claims,
    } as Claims,
    name,
    argumentsOf(name, { operation, request_id: "req_sweep" }, surface),
  );
  const [code, message = ""] = [error?.code, error?.message];
  const refused =
    code === "42501" ||
    (code === "TO001" && ["role_required", "scope_required", "tenant_forbidden"].includes(message));
  return { refused, answer: `${code} ${message} ${JSON.stringify(data)?.slice(0, 200)}` };
}

const ARGUMENTS: Record<string, object> = {
  accept_invitation: { token_hash: "x", user_id: null, password_hash: null, origin: {} },
  begin_session: { session: {} },
  check_session: { session_id: "ses_x", idle_seconds: 0, seen: false },
  change_password: {
    user_id: "00000000-0000-4000-8000-000000000000",
    password_hash: "x",
    issuer: "x",
    kept_session: "",
    origin: {},
  },
  find_api_key: { key_id: "tk_x" },
  find_invitation: { token_hash: "x" },
  find_session_user: { user_id: "00000000-0000-4000-8000-000000000000" },
  is_password_reset: { token_hash: "x" },
  leave_session: { session_id: "ses_x" },
  readiness: {},
  record_api_key_usage: { batch: "00000000-0000-4000-8000-000000000000", rows: [] },
  record_requests: { batch: "00000000-0000-4000-8000-000000000000", rows: [] },
  record_security_events: { events: [] },
  request_password_reset: { email: "x" },
  reset_password: { token_hash: "x", password_hash: "x", issuer: "x", origin: {} },
  service_metrics: {},
};

function argumentsOf(name: string, request: object, surface?: string): object {
  return ARGUMENTS[name] ?? { input: { surface, limit: 1 }, request };
}

const CONCURRENCY = 4;

async function each<One>(all: readonly One[], act: (one: One) => Promise<void>): Promise<void> {
  const waiting = [...all];
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await act(one);
    }),
  );
}

function subsets<One>(all: readonly One[]): One[][] {
  const [first, ...others] = all;
  if (first === undefined) return [[]];
  return subsets(others).flatMap((some) => [some, [first, ...some]]);
}
