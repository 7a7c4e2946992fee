import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, createTenant, uniqueName } from "#e2e/fixtures.ts";
import { SURFACES } from "#lib/records/surfaces/every-surface.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { call, createRecord, createTeam, listIds, type Team } from "./records.ts";

const SERVER_FIELDS = [
  "id",
  "tenant_id",
  "created_at",
  "created_by",
  "updated_at",
  "soft_delete",
  "deleted_at",
  "purge_at",
];
const KB = 1024;

let team: Team;
beforeAll(async () => {
  team = await createTeam();
});

const errorsOf = ({ json }: Answer) =>
  (json as { errors: { path: string; message: string }[] }).errors;

/** JSON of exactly this many bytes. */
function bodyOf(bytes: number): string {
  const empty = JSON.stringify({ idempotencyKey: uniqueName("key"), text: "" });
  return empty.replace('""', `"${"x".repeat(bytes - empty.length)}"`);
}

describe.each(SURFACES)("/v1/$path", ({ path }) => {
  const post = (body: object | string) => call(team, "POST", `/v1/${path}`, { body });
  const withKey = (body: object) => ({ idempotencyKey: uniqueName("key"), ...body });

  test("refuses a missing idempotency key", async () => {
    expectProblem(await post({ operation: "list" }), "idempotency_key_required");
    expectProblem(await post({ idempotencyKey: null }), "idempotency_key_required");
  });

  test("refuses another tenant's name in the body, whether or not that tenant exists", async () => {
    for (const tenantId of [
      await createTenant(),
      "no-such-tenant",
      "",
      team.tenant.toUpperCase(),
    ]) {
      expectProblem(await post(withKey({ tenantId })), "tenant_forbidden");
    }
    const { id } = await createRecord(team, path);
    expectProblem(
      await call(team, "PATCH", `/v1/${path}/${id}`, { body: { tenantId: "no-such-tenant" } }),
      "tenant_forbidden",
    );
  });

  test.each([
    ["tenantId", [1, null, {}, ["acme"]]],
    ["operation", [1, {}, ["list"], null, true, "x".repeat(201)]],
    ["limit", [0, 251, -1, 1.5, "25", null, {}, 1e300]],
  ])("refuses an invalid %s", async (field, values) => {
    for (const value of values) {
      const answer = await post(withKey({ [field]: value }));
      expectProblem(answer, "invalid_request");
      expect(new Set(errorsOf(answer).map((error) => error.path))).toEqual(new Set([field]));
    }
  });

  test.each(SERVER_FIELDS)("refuses the server's field %s", async (field) => {
    const { id } = await createRecord(team, path);
    for (const value of ["x", null, true, 1]) {
      for (const answer of [
        await post(withKey({ [field]: value })),
        await call(team, "PATCH", `/v1/${path}/${id}`, { body: { [field]: value } }),
      ]) {
        expectProblem(answer, "invalid_request");
        expect(errorsOf(answer)).toEqual([
          { path: field, message: "The server sets this field. Remove it." },
        ]);
      }
    }
  });

  test("refuses another idempotency key for a record that has one", async () => {
    const { id } = await createRecord(team, path);
    const answer = await call(team, "PATCH", `/v1/${path}/${id}`, {
      body: { idempotencyKey: "x" },
    });
    expectProblem(answer, "invalid_request");
    expect(errorsOf(answer)[0]?.path).toBe("idempotencyKey");
  });

  test("accepts bodies of 64 kB, and refuses larger records, in one call or in several", async () => {
    expect((await post(bodyOf(64 * KB))).status).toBe(201);
    expectProblem(await post(bodyOf(64 * KB + 1)), "payload_too_large");
    expectProblem(await post(bodyOf(65 * KB)), "payload_too_large");
    const { id } = await createRecord(team, path, { first: "x".repeat(60 * KB) });
    expectProblem(
      await call(team, "PATCH", `/v1/${path}/${id}`, { body: { second: "x".repeat(60 * KB) } }),
      "payload_too_large",
    );
    expectProblem(
      await call(team, "PATCH", `/v1/${path}/${id}`, { body: bodyOf(65 * KB) }),
      "payload_too_large",
    );
  });

  test.each([
    ["an array", "[]"],
    ["a text", '"text"'],
    ["a number", "1"],
    ["true", "true"],
    ["null", "null"],
  ])("refuses %s as a body", async (_, body) => {
    const { id } = await createRecord(team, path);
    for (const answer of [
      await post(body),
      await call(team, "PATCH", `/v1/${path}/${id}`, { body }),
    ]) {
      expectProblem(answer, "invalid_request");
      expect(errorsOf(answer)).toEqual([{ path: "", message: "Send a JSON object." }]);
    }
  });

  test("refuses a change of a deleted record", async () => {
    const { id } = await createRecord(team, path);
    expect((await call(team, "DELETE", `/v1/${path}/${id}`)).status).toBe(200);
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const body = method === "PATCH" ? { a: 1 } : undefined;
      expectProblem(await call(team, method, `/v1/${path}/${id}`, { body }), "not_found");
    }
  });

  test("refuses an If-Match that isn't a list of entity tags", async () => {
    const { id } = await createRecord(team, path);
    for (const method of ["PATCH", "DELETE"]) {
      const body = method === "PATCH" ? { a: 1 } : undefined;
      expectProblem(
        await call(team, method, `/v1/${path}/${id}`, { body, headers: { "If-Match": "1" } }),
        "invalid_request",
      );
    }
  });

  test("stores no record of a refused call", async () => {
    const before = await listIds(team, path, { limit: "250" });
    await post(withKey({ id: "rec_1" }));
    await post(withKey({ limit: 0 }));
    await post(withKey({ tenantId: "no-such-tenant" }));
    await post(bodyOf(65 * KB));
    expect(await listIds(team, path, { limit: "250" })).toEqual(before);
  });
});

describe("credentials in an integration's config", () => {
  const config = {
    account: "acct_1",
    auth: { type: "basic", user: "ada", password: "hunter2" },
    "x-api-key": "k",
    secret_ref: "vault:stripe",
  };
  const places = ["config.auth.password", "config.x-api-key"];

  test("are refused at creation with each path, and not stored", async () => {
    const answer = await call(team, "POST", "/v1/integrations", {
      body: { idempotencyKey: uniqueName("key"), config },
    });
    expectProblem(answer, "invalid_request");
    expect(errorsOf(answer).map(({ path }) => path)).toEqual(places);
    expect(answer.text).not.toContain("hunter2");
  });

  test("are refused in a patch", async () => {
    const { id } = await createRecord(team, "integrations", { config: { account: "acct_1" } });
    const answer = await call(team, "PATCH", `/v1/integrations/${id}`, { body: { config } });
    expectProblem(answer, "invalid_request");
    expect(errorsOf(answer).map(({ path }) => path)).toEqual(places);
  });

  test("can't be hidden in a config that isn't an object", async () => {
    for (const value of [[], "x", 1, true]) {
      expectProblem(
        await call(team, "POST", "/v1/integrations", {
          body: { idempotencyKey: uniqueName("key"), config: value },
        }),
        "invalid_request",
      );
    }
  });

  test("are accepted in other surfaces and fields", async () => {
    await createRecord(team, "troubleshooting", {
      resolution: "Rotate the api_key",
      api_key: "none",
      config: { password: "x" },
    });
    await createRecord(team, "integrations", {
      config: { password_file: "/run/secrets/x", has_password: true, max_tokens: 5 },
    });
  });
});
