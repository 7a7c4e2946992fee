import { describe, expect, it } from "vitest";
import { api, createTenant, stack, uniqueName, userToken } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import { Gateway } from "#e2e/gateway.ts";
import { until } from "#e2e/until.ts";
import { startWebProcess } from "#e2e/web-process.ts";
import { mintCredential } from "#lib/api-keys/credential-format.ts";
import { codeOf, tenantWithAdmin } from "./keys.ts";

/** How long a verified key is accepted without a database query. */
const CACHE_MS = 900;

describe("verifying an API key", () => {
  it("allows a key exactly what its scopes permit", async () => {
    const { create, tenant } = await tenantWithAdmin();
    const { credential } = await create({ scopes: ["read:reconciliations", "write:exceptions"] });
    const list = await api("GET", "/v1/reconciliations", { bearer: credential, tenant });
    const write = await api("POST", "/v1/exceptions", {
      bearer: credential,
      tenant,
      body: { title: "By key", severity: "low" },
    });
    const read = await api("GET", "/v1/exceptions", { bearer: credential, tenant });
    expect([list.status, write.status, read.status]).toEqual([200, 201, 403]);
    expect(codeOf(read)).toBe("scope_required");
    expect((write.json as { created_by: string }).created_by).toMatch(/^api_key:key_/);
  });

  it("gives a key no role: the SLA monitor and key management are 403", async () => {
    const { create, tenant, path } = await tenantWithAdmin();
    const { credential } = await create({ scopes: ["read:exceptions", "write:exceptions"] });
    for (const target of ["/v1/exceptions/sla", path]) {
      const answer = await api("GET", target, { bearer: credential, tenant });
      expect([answer.status, codeOf(answer)]).toEqual([403, "role_required"]);
    }
  });

  it("refuses a key for another tenant", async () => {
    const { create } = await tenantWithAdmin();
    const { credential } = await create();
    const answer = await api("GET", "/v1/exceptions", {
      bearer: credential,
      tenant: await createTenant(),
    });
    expect([answer.status, codeOf(answer)]).toEqual([403, "tenant_forbidden"]);
  });

  it("returns byte-identical responses for an unknown ID and a wrong secret", async () => {
    const { create, use } = await tenantWithAdmin();
    const { key_id } = await create();
    const anonymous = async (credential: string) => {
      const { status, json } = await use(credential);
      return { status, body: { ...(json as object), request_id: undefined } };
    };
    const unknown = await anonymous(`${mintCredential().keyId}.${mintCredential().secret}`);
    expect(unknown.status).toBe(401);
    expect(await anonymous(`${key_id}.${mintCredential().secret}`)).toEqual(unknown);
  });

  it.runIf(WHOLE)("takes the same time for an unknown ID and a wrong secret", async () => {
    const { create, tenant } = await tenantWithAdmin();
    const { key_id, credential } = await create();
    const gateway = await Gateway.start();
    const web = await startWebProcess({ SUPABASE_URL: gateway.url });
    const use = async (bearer: string) => {
      const answer = await fetch(`${web.url}/v1/exceptions`, {
        headers: { Authorization: `Bearer ${bearer}`, "X-Tenant-Id": tenant },
      });
      await answer.arrayBuffer();
    };
    // Compares the fastest round of each kind, because other load slows some rounds but not all.
    // The database query takes most of the time.
    const fastest_ms = { unknown: Infinity, wrong: Infinity };
    const lookups = { unknown: 0, wrong: 0 };
    try {
      for (let round = 0; round < 40; round++) {
        await use(credential);
        for (const [kind, keyId] of [
          ["unknown", mintCredential().keyId],
          ["wrong", key_id],
        ] as const) {
          const before = gateway.count("find_api_key");
          const startedAt = performance.now();
          await use(`${keyId}.${mintCredential().secret}`);
          fastest_ms[kind] = Math.min(fastest_ms[kind], performance.now() - startedAt);
          lookups[kind] += gateway.count("find_api_key") - before;
        }
      }
    } finally {
      await web.stop();
      gateway.stop();
    }
    expect(lookups).toEqual({ unknown: 40, wrong: 40 });
    const ratio = fastest_ms.unknown / fastest_ms.wrong;
    expect(ratio).toBeGreaterThan(1 / 3);
    expect(ratio).toBeLessThan(3);
  });

  it("compares IPv4-mapped addresses as IPv4, and ignores a forged X-Forwarded-For", async () => {
    const { create, use } = await tenantWithAdmin();
    const here = await create({ ip_allowlist: ["127.0.0.0/8", "::1"] });
    const elsewhere = await create({ ip_allowlist: ["10.0.0.0/8"] });
    expect((await use(here.credential, { "X-Forwarded-For": "192.0.2.1" })).status).toBe(200);
    const forged = await use(elsewhere.credential, {
      "X-Forwarded-For": "10.1.2.3",
      "X-Inbound-Client-Address": "10.1.2.3",
      "X-Real-Ip": "10.1.2.3",
    });
    expect([forged.status, codeOf(forged)]).toEqual([403, "ip_not_allowed"]);
  });

  it.runIf(WHOLE)("trusts only the X-Forwarded-For entry that our one proxy wrote", async () => {
    const { create, tenant } = await tenantWithAdmin();
    const { credential } = await create({ ip_allowlist: ["10.0.0.0/8"] });
    const proxied = await startWebProcess({ TRUSTED_PROXY_HOPS: "1" });
    try {
      const statusOf = async (forwarded: string) => {
        const headers = {
          Authorization: `Bearer ${credential}`,
          "X-Tenant-Id": tenant,
          "X-Forwarded-For": forwarded,
        };
        return (await fetch(`${proxied.url}/v1/exceptions`, { headers })).status;
      };
      expect(await statusOf("10.1.2.3")).toBe(200);
      expect(await statusOf("::ffff:10.1.2.3")).toBe(200);
      expect(await statusOf("10.1.2.3, 192.0.2.1")).toBe(403);
      expect(await statusOf("192.0.2.1, 10.1.2.3")).toBe(200);
    } finally {
      await proxied.stop();
    }
  });

  it.runIf(WHOLE)("queries the database only when cold, never for a wrong checksum", async () => {
    const { create, tenant } = await tenantWithAdmin();
    const { key_id, key_secret, credential } = await create();
    const gateway = await Gateway.start();
    const web = await startWebProcess({ SUPABASE_URL: gateway.url });
    const use = (bearer: string) =>
      fetch(`${web.url}/v1/exceptions`, {
        headers: { Authorization: `Bearer ${bearer}`, "X-Tenant-Id": tenant },
      });
    try {
      const flipped = key_secret.slice(0, -1) + (key_secret.endsWith("0") ? "1" : "0");
      expect((await use(`${key_id}.${flipped}`)).status).toBe(401);
      expect(gateway.count("find_api_key")).toBe(0);

      const since = performance.now();
      expect((await use(credential)).status).toBe(200);
      expect(gateway.count("find_api_key")).toBe(1);
      expect(gateway.count("list_exceptions")).toBe(1);

      const warm = await Promise.all(Array.from({ length: 20 }, () => use(credential)));
      expect(warm.every(({ status }) => status === 200)).toBe(true);
      expect(gateway.count("find_api_key")).toBeLessThanOrEqual(
        1 + (performance.now() - since) / CACHE_MS,
      );
      expect(gateway.count("list_exceptions")).toBe(21);

      gateway.fail();
      const refused = await until("nothing is believed any more", async () => {
        const response = await use(credential);
        return response.status === 503 && response;
      });
      expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
      expect(await refused.json()).toMatchObject({ code: "unavailable" });
    } finally {
      await web.stop();
      gateway.stop();
    }
  });

  it.each([
    "",
    ".",
    "a.b",
    `${"x".repeat(10_000)}.y`,
    "%00.%00",
    "tk_.tks_",
    `${mintCredential().keyId}.`,
    `.${mintCredential().secret}`,
  ])("returns 401 for a malformed credential", async (credential) => {
    const tenant = await createTenant();
    expect((await api("GET", "/v1/me", { bearer: credential, tenant })).status).toBe(401);
  });

  it("ignores a key in the query string", async () => {
    const { create, tenant } = await tenantWithAdmin();
    const { credential } = await create();
    for (const name of ["api_key", "apikey", "key", "access_token"]) {
      expect((await api("GET", "/v1/me", { tenant, query: { [name]: credential } })).status).toBe(
        401,
      );
    }
  });
});

describe("managing API keys", () => {
  it("needs a user who is tenant_admin: not an analyst, a lead, a key, or a Supabase key", async () => {
    const { tenant, path, create } = await tenantWithAdmin();
    const { credential } = await create();
    const analyst = await userToken(tenant, ["tenant_analyst", "tenant_lead"]);
    for (const bearer of [analyst, credential, stack.secretKey, stack.publishableKey]) {
      for (const [method, suffix, body] of [
        ["GET", "", undefined],
        ["POST", "", { name: uniqueName("n"), scopes: ["read:exceptions"] }],
      ] as const) {
        const answer = await api(method, `${path}${suffix}`, { bearer, tenant, body });
        expect([answer.status, codeOf(answer)]).toEqual([403, "role_required"]);
      }
    }
  });

  it("refuses a path whose tenant differs from X-Tenant-Id", async () => {
    const { tenant, admin } = await tenantWithAdmin();
    const answer = await api("GET", `/v1/tenants/${await createTenant()}/api-keys`, {
      bearer: admin,
      tenant,
    });
    expect([answer.status, codeOf(answer)]).toEqual([403, "tenant_forbidden"]);
  });
});
