import { beforeAll, describe, expect, test } from "vitest";
import { api, createTenant, signToken, sql, stack, uniqueName, userToken } from "#e2e/fixtures.ts";
import { openApiDocument } from "#lib/openapi/document.ts";
import { ROLES } from "#lib/wire/access.ts";
import { CONTRACTS } from "#lib/wire/operations.ts";
import { SCOPES } from "#lib/wire/scopes.ts";
import { BAD_BODIES, badQueryValues, bodyOfSize, type ParameterSchema, spoiled } from "./bad-input.ts";
import { expectConforms, expectProblem, expectSameAnswer } from "./conformance.ts";
import { createWorld, invoke, pathOf, recordParams, takesBody } from "./operation.ts";
import { sampleFor, type World } from "./samples.ts";

const document = openApiDocument();

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

describe.each(CONTRACTS)("$operationId", (contract) => {
  const { access } = contract;
  let world: World;
  let stranger: World;

  beforeAll(async () => {
    [world, stranger] = await Promise.all([createWorld(), createWorld()]);
  });

  const apiKey = async (scopes: string[]): Promise<string> => {
    const path = `/v1/tenants/${world.tenant}/api-keys`;
    const { json } = await api("POST", path, { bearer: world.admin, tenant: world.tenant, body: { name: "Persona", scopes } });
    const { key_id, key_secret } = json as { key_id: string; key_secret: string };
    return `${key_id}.${key_secret}`;
  };

  test("without a credential 401", async () => {
    expectProblem(await invoke(contract, world, { bearer: undefined }), "unauthenticated", contract);
    expectProblem(await invoke(contract, world, { bearer: undefined, query: { apikey: world.admin } }), "unauthenticated", contract);
  });

  test("a credential that is none 401", async () => {
    const sample = await sampleFor(contract, world);
    const bodies = new Set<string>();
    for (const bearer of MALFORMED_BEARERS) {
      const answer = await invoke(contract, world, { bearer }, sample);
      expectProblem(answer, "unauthenticated", contract);
      bodies.add(answer.text.replace(/req_[0-9a-f]{32}/, ""));
    }
    expect(bodies.size).toBe(1);
    for (const authorization of ["Basic YWRhOnNlY3JldA==", world.admin, `Bearer ${world.admin}, Bearer ${world.admin}`]) {
      expectProblem(await invoke(contract, world, { bearer: undefined, headers: { authorization } }, sample), "unauthenticated", contract);
    }
  });

  test("a token that proves nothing 401", async () => {
    const claims = { sub: "ada", tenants: { [world.tenant]: ["tenant_admin"] } };
    const tokens = [
      await signToken(claims, { secret: uniqueName("another-secret-of-at-least-32-bytes") }),
      await signToken(claims, { expires: "-1m" }),
      await signToken({ ...claims, nbf: Math.floor(Date.now() / 1000) + 3600 }),
      await signToken({ ...claims, sub: undefined }),
      // What the server signs for its own database client, and what passes itself off as that.
      await signToken({ ...claims, iss: "tieout-internal" }),
      await signToken(
        { ...claims, iss: "tieout-internal", tenant_id: world.tenant, role: "authenticated" },
        { secret: stack.supabaseJwtSecret },
      ),
      await signToken({ ...claims, role: "service_role" }, { secret: stack.supabaseJwtSecret }),
    ];
    const sample = await sampleFor(contract, world);
    for (const bearer of tokens) expectProblem(await invoke(contract, world, { bearer }, sample), "unauthenticated", contract);
  });

  test("without exactly one tenant 400", async () => {
    const sample = await sampleFor(contract, world);
    const { tenant } = world;
    for (const named of [[], "", [tenant, tenant], [tenant, stranger.tenant], `${tenant},${stranger.tenant}`]) {
      expectProblem(await invoke(contract, world, { tenant: named }, sample), "tenant_required", contract);
    }
  });

  test("another tenant 403, whether or not it exists", async () => {
    const sample = await sampleFor(contract, world);
    const existing = await invoke(contract, world, { tenant: stranger.tenant }, sample);
    expectProblem(existing, "tenant_forbidden", contract);
    for (const tenant of [
      uniqueName("t"),
      world.tenant.slice(0, -1),
      `${world.tenant}0`,
      world.tenant.toUpperCase(),
      "*",
      "_",
      "x".repeat(200),
    ]) {
      expectSameAnswer(existing, await invoke(contract, world, { tenant }, sample));
    }
  });

  test("a membership that is none 403", async () => {
    const { tenant } = world;
    const claims = [
      {},
      { tenants: tenant, roles: ["tenant_admin"] },
      { tenants: [[tenant]], roles: ["tenant_admin"] },
      { tenants: { [stranger.tenant]: ["tenant_admin"] } },
      { user_metadata: { tenants: { [tenant]: ["tenant_admin"] } } },
    ];
    const sample = await sampleFor(contract, world);
    for (const one of claims) {
      expectProblem(
        await invoke(contract, world, { bearer: await signToken({ sub: "eve", ...one }) }, sample),
        "tenant_forbidden",
        contract,
      );
    }
  });

  test("a user passes by its roles alone", async () => {
    for (const roles of [[], ...ROLES.map((role) => [role])]) {
      const answer = await invoke(contract, world, { bearer: await userToken(world.tenant, roles, "eve") });
      if (access.roles === "any" || access.roles.some((role) => roles.includes(role))) expectSuccess(answer.status, answer.text);
      else expectProblem(answer, "role_required", contract);
      expectConforms(contract, answer);
    }
  });

  test("an API key passes by its scope alone", async () => {
    const without = await invoke(contract, world, { bearer: await apiKey(SCOPES.filter((scope) => scope !== access.scope)) });
    if (access.roles === "any") expectSuccess(without.status, without.text);
    else expectProblem(without, access.scope ? "scope_required" : "role_required", contract);
    if (access.scope) expectSuccess((await invoke(contract, world, { bearer: await apiKey([access.scope]) })).status);
  });

  test("the publishable key passes where it is meant to", async () => {
    const answer = await invoke(contract, world, { bearer: stack.publishableKey });
    if (access.publishable) expect([401, 403]).not.toContain(answer.status);
    else expectProblem(answer, "role_required", contract);
    expectConforms(contract, answer);
  });

  test("the service-role key passes where it is meant to, and is recorded once", async () => {
    const call = { bearer: stack.secretKey, headers: { "X-Audit-Reason": "Support case 118" } };
    const answer = await invoke(contract, world, call);
    const recorded = await sql("select from security_events where request_id = $1 and tenant_id = $2 and reason = $3", [
      answer.headers.get("x-request-id"),
      world.tenant,
      "Support case 118",
    ]);
    if (access.service) {
      expectSuccess(answer.status, answer.text);
      expectProblem(
        await invoke(contract, { ...world, tenant: uniqueName("t") }, call, await sampleFor(contract, world)),
        "tenant_forbidden",
        contract,
      );
    } else {
      expectProblem(answer, "role_required", contract);
    }
    expect(recorded).toHaveLength(1);
  });

  test("the service-role key in a browser 403", async () => {
    const sample = await sampleFor(contract, world);
    const browsers: Record<string, string>[] = [{ Origin: stack.url }, { "Sec-Fetch-Site": "same-origin" }, { "Sec-Fetch-Dest": "empty" }];
    for (const headers of browsers) {
      expectProblem(await invoke(contract, world, { bearer: stack.secretKey, headers }, sample), "browser_forbidden");
    }
  });

  test("a query that it does not take 400", async () => {
    const sample = await sampleFor(contract, world);
    const refused: [string, string][][] = [[["no_such_parameter", "1"]], [["a\0b", "1"]]];
    for (const [name, schema] of queryParameters()) {
      const valid = String(schema.example);
      refused.push(
        [
          [name, valid],
          [name, valid],
        ],
        ...badQueryValues(schema).map((value): [string, string][] => [[name, value]]),
      );
    }
    for (const query of refused) {
      const answer = await invoke(contract, world, { query }, sample);
      expectProblem(answer, "invalid_request", contract);
      expect(answer.json).toHaveProperty("errors.0.message");
    }
  });

  if (contract.query.shape.cursor)
    test("a cursor that it did not give 400", async () => {
      const forged = Buffer.from(JSON.stringify(["id", ["' or 1=1 --"]])).toString("base64url");
      for (const cursor of ["x", "e30", "W10", forged, "x".repeat(5000)]) {
        expectProblem(await invoke(contract, world, { query: { cursor } }), "invalid_request", contract);
      }
    });

  if (recordParams(contract).length > 0)
    test("another tenant's record 404, as one that never was", async () => {
      const own = await sampleFor(contract, world);
      const foreign = await sampleFor(contract, stranger);
      for (const name of recordParams(contract)) {
        const id = foreign.params?.[name] as string;
        const never = neverGiven(id);
        const toForeign = await invoke(contract, world, {}, { ...own, params: { ...own.params, [name]: id } });
        expectProblem(toForeign, "not_found", contract);
        expectSameAnswer(toForeign, await invoke(contract, world, {}, { ...own, params: { ...own.params, [name]: never } }));
      }
    });

  if (recordParams(contract).length > 0)
    test("an identifier that cannot be one 404, as one that never was", async () => {
      const own = await sampleFor(contract, world);
      for (const name of recordParams(contract)) {
        const call = (id: string) => invoke(contract, world, {}, { ...own, params: { ...own.params, [name]: id } });
        const never = await call(neverGiven(own.params?.[name] as string));
        for (const id of ["x", "' or 1=1 --", "%", "..%2f", "x".repeat(2000), "exc_", "\u{1F511}"]) {
          const answer = await call(id);
          expectProblem(answer, "not_found", contract);
          expectSameAnswer(answer, never);
        }
      }
    });

  if (contract.path.startsWith("/v1/tenants/{id}"))
    test("a tenant in the path that is not the header's 403", async () => {
      const own = await sampleFor(contract, world);
      for (const id of [stranger.tenant, uniqueName("t")]) {
        expectProblem(await invoke(contract, world, {}, { ...own, params: { ...own.params, id } }), "tenant_forbidden", contract);
      }
    });

  if (contract.upload)
    test("an upload of another media type 415", async () => {
      for (const type of ["application/json", "text/plain", ""]) {
        expectProblem(await invoke(contract, world, { headers: { "Content-Type": type } }), "unsupported_media_type", contract);
      }
    });

  if (takesBody(contract))
    describe("with a body", () => {
      test.each(Object.entries(BAD_BODIES))("of %s 400", async (_name, body) => {
        expectProblem(await invoke(contract, world, { body }), "invalid_request", contract);
      });

      test("that nobody can keep 400", async () => {
        const sample = await sampleFor(contract, world);
        for (const [name, body] of spoiled(sample.body ?? {})) {
          const answer = await invoke(contract, world, { body }, sample);
          expect(answer.status, `${name}: ${answer.text}`).toBe(400);
          expectProblem(answer, "invalid_request", contract);
        }
      });

      test("with a field that does not exist 400", async () => {
        const sample = await sampleFor(contract, world);
        const body = { ...sample.body, no_such_field: 1 };
        if (contract.body?.safeParse(body).success) return;
        const answer = await invoke(contract, world, { body }, sample);
        expectProblem(answer, "invalid_request", contract);
        expect(answer.json).toHaveProperty("errors.0.path", "no_such_field");
      });

      test("with a field that is not its caller's to set 400", async () => {
        const sample = await sampleFor(contract, world);
        for (const name of ["id", "tenant_id", "created_by", "created_at", "updated_at", "soft_delete"]) {
          const answer = await invoke(contract, world, { body: { ...sample.body, [name]: "x" } }, sample);
          if (contract.method === "PATCH" || !contract.body?.safeParse({ ...sample.body, [name]: "x" }).success) {
            expectProblem(answer, "invalid_request", contract);
          }
        }
      });

      test("of another media type 415", async () => {
        for (const type of [
          "text/plain",
          "application/x-www-form-urlencoded",
          "multipart/form-data; boundary=x",
          "application/jsonp",
          "",
        ]) {
          expectProblem(
            await invoke(contract, world, { body: "{}", headers: { "Content-Type": type } }),
            "unsupported_media_type",
            contract,
          );
        }
      });

      test("that is compressed 415", async () => {
        const answer = await invoke(contract, world, { body: "{}", headers: { "Content-Encoding": "gzip" } });
        expectProblem(answer, "unsupported_media_type", contract);
        expect(answer.headers.get("accept-encoding")).toBe("identity");
      });

      test("of one byte more than it takes 413", async () => {
        expectProblem(await invoke(contract, world, { body: bodyOfSize(contract.bodyMaxBytes + 1) }), "payload_too_large", contract);
        expect((await invoke(contract, world, { body: bodyOfSize(contract.bodyMaxBytes) })).status).not.toBe(413);
      });

      test("nothing is said of the body to who may not call", async () => {
        const answer = await invoke(contract, world, { bearer: undefined, body: "{" });
        expectProblem(answer, "unauthenticated", contract);
      });
    });

  function queryParameters(): [name: string, schema: ParameterSchema][] {
    const operation = document.paths?.[contract.path]?.[contract.method.toLowerCase() as "get"];
    const parameters = (operation?.parameters ?? []) as { in?: string; name: string; schema: ParameterSchema }[];
    return parameters.filter((parameter) => parameter.in === "query").map(({ name, schema }) => [name, schema]);
  }

  function expectSuccess(status: number, text?: string): void {
    expect(status, text).toBe(contract.status);
  }
});

describe("a path of /v1", () => {
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
  const paths = [...Map.groupBy(CONTRACTS, ({ path }) => path)].map(([path, own]) => ({
    path,
    contract: own[0],
    taken: own.map(({ method }) => method),
  }));

  test.each(paths)("$path refuses other methods with 405 and names its own", async ({ contract, taken }) => {
    if (!contract) throw new Error("A path without a contract.");
    const world = await createWorld();
    const path = pathOf(contract, (await sampleFor(contract, world)).params);
    const allowed = taken.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).sort();
    const named = (allow: string | null) => allow?.split(/, */).sort();
    for (const method of methods.filter((one) => !taken.includes(one as (typeof taken)[number]))) {
      const answer = await api(method, path, { bearer: world.admin, tenant: world.tenant });
      expectProblem(answer, "method_not_allowed");
      expect(named(answer.headers.get("allow"))).toEqual(allowed);
    }
    const options = await api("OPTIONS", path);
    expect(options.status).toBe(204);
    expect(named(options.headers.get("allow"))).toEqual([...allowed, "OPTIONS"].sort());
    expect(options.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("that nobody declared is 404 for every method", async () => {
    const tenant = await createTenant();
    for (const method of methods) {
      for (const path of ["/v1", "/v1/no-such-thing", "/v1/exceptions/a/b/c", "/v1/exceptions/sla/x"]) {
        expectProblem(await api(method, path, { bearer: await userToken(tenant, ["tenant_admin"]), tenant }), "not_found");
      }
    }
  });
});

/** An identifier of the same kind, of nothing. */
function neverGiven(id: string): string {
  return id.replace(/[0-9a-f]{20,}$/, (digits) => uniqueName("").replace("-", "").padEnd(digits.length, "0"));
}
