import { beforeAll, describe, expect, test } from "vitest";
import { api, signToken, sql, stack, uniqueName, userToken } from "#e2e/fixtures.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import { ROLES, type Role, readScopeOf } from "#lib/wire/access.ts";
import { mayReturnNoContent } from "#lib/wire/contract.ts";
import { SCOPES } from "#lib/wire/scopes.ts";
import { expectConforms, expectProblem, expectSameResponse } from "./conformance.ts";
import { createFixture, invoke, isTriedInFull, variants } from "./operation.ts";
import { type Fixture, type Sample, sampleFor } from "./samples.ts";

const MALFORMED_BEARERS = [
  "",
  "x",
  "a.b.c",
  ".secret",
  "id.",
  "..",
  "%00%0a%25",
  "tk_0000000000000000000000.tks_0000000000000000000000000000000000000000000000000",
  "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.",
  "x".repeat(10_000),
];

const ROLE_SETS: Role[][] = [[], ...ROLES.map((role) => [role])];

/** A tenant that the callers of all operations are not members of. */
let stranger: Fixture;
beforeAll(async () => {
  stranger = await createFixture();
});

describe.each(CONTRACTS)("$operationId", (contract) => {
  const { access } = contract;
  const changes = contract.method !== "GET";
  const inFull = isTriedInFull(contract);
  let fixture: Fixture;
  /** A refused call changes nothing, so one sample serves all of them. */
  let sample: Sample;

  beforeAll(async () => {
    fixture = await createFixture();
    sample = await sampleFor(contract, fixture);
  });

  const apiKey = async (scopes: string[]): Promise<string> => {
    const tenant = sample.tenant ?? fixture.tenant;
    const path = `/v1/tenants/${tenant}/api-keys`;
    const { json } = await api("POST", path, {
      bearer: fixture.admin,
      tenant,
      body: { name: "Persona", scopes },
    });
    const { key_id, key_secret } = json as { key_id: string; key_secret: string };
    return `${key_id}.${key_secret}`;
  };

  test("a call without a credential is 401", async () => {
    expectProblem(
      await invoke(contract, fixture, { bearer: undefined }, sample),
      "unauthenticated",
      contract,
    );
    if (!inFull) return;
    expectProblem(
      await invoke(
        contract,
        fixture,
        { bearer: undefined, query: { apikey: fixture.admin } },
        sample,
      ),
      "unauthenticated",
      contract,
    );
  });

  test.runIf(inFull)("an invalid credential is 401", async () => {
    const bodies = new Set<string>();
    for (const bearer of variants(MALFORMED_BEARERS, contract)) {
      const answer = await invoke(contract, fixture, { bearer }, sample);
      expectProblem(answer, "unauthenticated", contract);
      bodies.add(answer.text.replace(/req_[0-9a-f]{32}/, ""));
    }
    expect(bodies.size).toBe(1);
    for (const authorization of variants(
      ["Basic YWRhOnNlY3JldA==", fixture.admin, `Bearer ${fixture.admin}, Bearer ${fixture.admin}`],
      contract,
    )) {
      expectProblem(
        await invoke(contract, fixture, { bearer: undefined, headers: { authorization } }, sample),
        "unauthenticated",
        contract,
      );
    }
  });

  test.runIf(inFull)("a token that can't be verified is 401", async () => {
    const claims = { sub: "ada", tenants: { [fixture.tenant]: ["tenant_admin"] } };
    const tokens = [
      await signToken(claims, { secret: uniqueName("another-secret-of-at-least-32-bytes") }),
      await signToken(claims, { expires: "-1m" }),
      await signToken({ ...claims, nbf: Math.floor(Date.now() / 1000) + 3600 }),
      await signToken({ ...claims, sub: undefined }),
      // A token that the server signs for its own database client, and imitations of it.
      await signToken({ ...claims, iss: "tieout-internal" }),
      await signToken(
        { ...claims, iss: "tieout-internal", tenant_id: fixture.tenant, role: "authenticated" },
        { secret: stack.supabaseJwtSecret },
      ),
      await signToken({ ...claims, role: "service_role" }, { secret: stack.supabaseJwtSecret }),
    ];
    for (const bearer of variants(tokens, contract))
      expectProblem(
        await invoke(contract, fixture, { bearer }, sample),
        "unauthenticated",
        contract,
      );
  });

  test.runIf(inFull)("a call without exactly one tenant is 400", async () => {
    const { tenant } = fixture;
    for (const named of variants(
      [[], "", [tenant, tenant], [tenant, stranger.tenant], `${tenant},${stranger.tenant}`],
      contract,
    )) {
      expectProblem(
        await invoke(contract, fixture, { tenant: named }, sample),
        "tenant_required",
        contract,
      );
    }
  });

  test("another tenant is 403, whether or not it exists", async () => {
    const existing = await invoke(contract, fixture, { tenant: stranger.tenant }, sample);
    expectProblem(existing, "tenant_forbidden", contract);
    const names = [
      uniqueName("t"),
      fixture.tenant.slice(0, -1),
      `${fixture.tenant}0`,
      fixture.tenant.toUpperCase(),
      "*",
      "_",
      "x".repeat(200),
    ];
    for (const tenant of variants(names, contract)) {
      expectSameResponse(existing, await invoke(contract, fixture, { tenant }, sample));
    }
  });

  test.runIf(inFull)("a missing membership is 403", async () => {
    const { tenant } = fixture;
    const claims = [
      {},
      { tenants: tenant, roles: ["tenant_admin"] },
      { tenants: [[tenant]], roles: ["tenant_admin"] },
      { tenants: { [stranger.tenant]: ["tenant_admin"] } },
      { user_metadata: { tenants: { [tenant]: ["tenant_admin"] } } },
    ];
    for (const variant of variants(claims, contract)) {
      expectProblem(
        await invoke(
          contract,
          fixture,
          { bearer: await signToken({ sub: "eve", ...variant }) },
          sample,
        ),
        "tenant_forbidden",
        contract,
      );
    }
  });

  test("only users with one of its roles may call it", async () => {
    const hasRole = (roles: Role[]) =>
      access.roles === "any" || access.roles.some((role) => roles.includes(role));
    const refused = ROLE_SETS.filter((roles) => !hasRole(roles));
    // database/access.test.ts tries every function as every role.
    const callers = inFull
      ? ROLE_SETS
      : [["tenant_admin"] as Role[], ...variants(refused, contract)];
    for (const roles of callers) {
      const isAllowed = hasRole(roles);
      const bearer = await userToken(fixture.tenant, roles, "eve");
      const answer = await invoke(
        contract,
        fixture,
        { bearer },
        isAllowed && changes ? undefined : sample,
      );
      if (isAllowed) expectSuccess(answer.status, answer.text);
      else expectProblem(answer, "role_required", contract);
      expectConforms(contract, answer);
    }
  });

  test("only API keys with its scope may call it", async () => {
    if (!inFull && access.anyKey) return;
    const without = await invoke(
      contract,
      fixture,
      { bearer: await apiKey(SCOPES.filter((scope) => scope !== access.scope)) },
      access.anyKey && changes ? undefined : sample,
    );
    if (access.anyKey) expectSuccess(without.status, without.text);
    else expectProblem(without, access.scope ? "scope_required" : "role_required", contract);
    // Registering for events and sending them needs the scope to read those events as well.
    const sendsEvents = ["createWebhook", "createTestEvent"].includes(contract.operationId);
    const read = sendsEvents ? (["read:webhooks"] as const) : [];
    if (!access.scope || !inFull) return;
    const response = await invoke(
      contract,
      fixture,
      { bearer: await apiKey([access.scope, ...read]) },
      changes ? undefined : sample,
    );
    if (contract.dryRun === "always" && readScopeOf(access))
      expectProblem(response, "scope_required", contract);
    else if (mayReturnNoContent(contract)) expect(response.status).toBe(204);
    else expectSuccess(response.status, response.text);
  });

  test("the publishable key may call only its own operations", async () => {
    const answer = await invoke(
      contract,
      fixture,
      { bearer: stack.publishableKey },
      access.publishable && changes ? undefined : sample,
    );
    if (access.publishable) expect([401, 403]).not.toContain(answer.status);
    else expectProblem(answer, "role_required", contract);
    expectConforms(contract, answer);
  });

  test("the service-role key may call its operations, and is recorded once", async () => {
    if (access.service && !inFull) return;
    const call = { bearer: stack.secretKey, headers: { "X-Audit-Reason": "Support case 118" } };
    const answer = await invoke(
      contract,
      fixture,
      call,
      access.service && changes ? undefined : sample,
    );
    const recorded = await sql(
      "select from security_events where request_id = $1 and tenant_id = $2 and reason = $3",
      [answer.headers.get("x-request-id"), sample.tenant ?? fixture.tenant, "Support case 118"],
    );
    if (access.service) {
      expectSuccess(answer.status, answer.text);
      expectProblem(
        await invoke(contract, fixture, { ...call, tenant: uniqueName("t") }, sample),
        "tenant_forbidden",
        contract,
      );
    } else {
      expectProblem(answer, "role_required", contract);
    }
    expect(recorded).toHaveLength(1);
  });

  test.runIf(inFull)("the service-role key in a browser is 403", async () => {
    const browsers: Record<string, string>[] = [
      { Origin: stack.url },
      { "Sec-Fetch-Site": "same-origin" },
      { "Sec-Fetch-Dest": "empty" },
    ];
    for (const headers of variants(browsers, contract)) {
      expectProblem(
        await invoke(contract, fixture, { bearer: stack.secretKey, headers }, sample),
        "browser_forbidden",
      );
    }
  });

  function expectSuccess(status: number, text?: string): void {
    expect(status, text).toBe(contract.status);
  }
});
