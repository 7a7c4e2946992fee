import { beforeAll, describe, expect, it } from "vitest";
import { CATALOGUE } from "#components/docs/errors/catalogue.ts";
import { type Answer, api, stack, uniqueName, userToken } from "#e2e/fixtures.ts";
import { startWebProcess } from "#e2e/web-process.ts";
import { ERRORS, type ErrorCode } from "#lib/wire/errors.ts";
import { createFixture } from "../contracts/operation.ts";
import type { Fixture } from "../contracts/samples.ts";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await createFixture();
});

const call = (method: string, path: string, rest: Parameters<typeof api>[2] = {}) =>
  api(method, path, { bearer: fixture.admin, tenant: fixture.tenant, ...rest });

const create = async <Made>(path: string, body: object): Promise<Made> =>
  (await call("POST", path, { body, headers: { "Idempotency-Key": uniqueName("k") } }))
    .json as Made;

const EXCEPTION = { title: "Payout", severity: "high" };

/**
 * A call for each error code that returns it. `rate_limited` and `unavailable` are tested below,
 * and only a bug returns `internal`.
 */
const PROVOKED: Record<
  Exclude<ErrorCode, "internal" | "rate_limited" | "unavailable">,
  () => Promise<Answer>
> = {
  invalid_request: () => call("GET", "/v1/exceptions", { query: { limit: "ten" } }),
  tenant_required: () => call("GET", "/v1/me", { tenant: [] }),
  idempotency_key_required: () => call("POST", "/v1/integrations", { body: { name: "Bridge" } }),
  unauthenticated: () => call("GET", "/v1/me", { bearer: undefined }),
  tenant_forbidden: () => call("GET", "/v1/me", { tenant: "globex" }),
  role_required: async () =>
    call("GET", "/v1/webhooks", { bearer: await userToken(fixture.tenant, ["tenant_lead"]) }),
  scope_required: async () =>
    call("GET", "/v1/exceptions", { bearer: await keyWith({ scopes: ["write:exceptions"] }) }),
  ip_not_allowed: async () =>
    call("GET", "/v1/me", {
      bearer: await keyWith({ scopes: ["read:exceptions"], ip_allowlist: ["203.0.113.9"] }),
    }),
  browser_forbidden: () =>
    call("GET", "/v1/me", { bearer: stack.secretKey, headers: { Origin: stack.url } }),
  not_found: () => call("GET", "/v1/exceptions/exc_019a9f4be2c04d6f8a1b3c5d7e9f0a2b"),
  method_not_allowed: () => call("DELETE", "/v1/exceptions"),
  conflict: async () => {
    const { id } = await create<{ id: string }>(`/v1/tenants/${fixture.tenant}/api-keys`, {
      name: "Key",
      scopes: ["read:exceptions"],
    });
    const path = `/v1/tenants/${fixture.tenant}/api-keys/${id}/rotate`;
    await create(path, {});
    return call("POST", path, { body: {} });
  },
  invalid_transition: async () => {
    const { id } = await create<{ id: string }>("/v1/exceptions", EXCEPTION);
    await call("PATCH", `/v1/exceptions/${id}`, {
      body: { status: "resolved", resolution: "Found." },
    });
    return call("PATCH", `/v1/exceptions/${id}`, { body: { status: "in_review" } });
  },
  precondition_failed: async () => {
    const { id } = await create<{ id: string }>("/v1/integrations", { name: "Bridge" });
    return call("PATCH", `/v1/integrations/${id}`, {
      body: { name: "Bridges" },
      headers: { "If-Match": '"7"' },
    });
  },
  payload_too_large: () =>
    call("POST", "/v1/exceptions", { body: { ...EXCEPTION, title: "x".repeat(1024 * 1024) } }),
  uri_too_long: () => call("GET", "/v1/exceptions", { query: { q: "x".repeat(9000) } }),
  headers_too_large: () =>
    call("GET", "/v1/exceptions", { headers: { "X-Note": "x".repeat(17 * 1024) } }),
  unsupported_media_type: () =>
    call("POST", "/v1/exceptions", {
      body: "title=Payout",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    }),
  idempotency_mismatch: async () => {
    const headers = { "Idempotency-Key": uniqueName("key") };
    await call("POST", "/v1/exceptions", { body: EXCEPTION, headers });
    return call("POST", "/v1/exceptions", { body: { ...EXCEPTION, severity: "low" }, headers });
  },
};

async function keyWith(fields: object): Promise<string> {
  const { key_id, key_secret } = await create<{ key_id: string; key_secret: string }>(
    `/v1/tenants/${fixture.tenant}/api-keys`,
    {
      name: "Key",
      ...fields,
    },
  );
  return `${key_id}.${key_secret}`;
}

type Problem = {
  type: string;
  title: string;
  status: number;
  code: ErrorCode;
  detail: string;
  errors?: unknown;
};

async function expectDocumented(
  { json, headers }: { json: unknown; headers: Headers },
  code: ErrorCode,
): Promise<void> {
  const problem = json as Problem;
  const entry = CATALOGUE[code];
  expect(problem.code).toBe(code);
  expect(problem.detail.replace(/\d+ s/, "12 s")).toBe(entry.detail);
  expect(problem.errors).toEqual(entry.errors);
  expect(problem).toMatchObject(entry.fields ?? {});
  for (const [name, value] of Object.entries(entry.headers ?? {})) {
    expect(headers.get(name)?.replaceAll(/\d+/g, "0"), name).toBe(value.replaceAll(/\d+/g, "0"));
  }
  const page = await fetch(problem.type);
  expect([page.status, page.headers.get("content-type")]).toEqual([
    200,
    "text/html; charset=utf-8",
  ]);
  expect(await page.text()).toContain(ERRORS[code].title.replaceAll("'", "&#x27;"));
}

describe("an error's page shows its response, whose type links to that page", () => {
  it.each(Object.entries(PROVOKED))("%s", async (code, provoke) => {
    await expectDocumented(await provoke(), code as ErrorCode);
  });

  it("rate_limited", async () => {
    const web = await startWebProcess({ RATE_LIMIT_PER_MINUTE: "1" });
    try {
      const headers = { Authorization: `Bearer ${fixture.admin}`, "X-Tenant-Id": fixture.tenant };
      await fetch(`${web.url}/v1/me`, { headers });
      const refused = await fetch(`${web.url}/v1/me`, { headers });
      await expectDocumented(
        { json: await refused.json(), headers: refused.headers },
        "rate_limited",
      );
    } finally {
      await web.stop();
    }
  });

  it("unavailable", async () => {
    const web = await startWebProcess({ SUPABASE_URL: "http://127.0.0.1:9" });
    try {
      const answer = await fetch(`${web.url}/v1/me`, {
        headers: { Authorization: `Bearer ${stack.secretKey}`, "X-Tenant-Id": "acme" },
      });
      await expectDocumented({ json: await answer.json(), headers: answer.headers }, "unavailable");
    } finally {
      await web.stop();
    }
  });
});
