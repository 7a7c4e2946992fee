import { createDecipheriv } from "node:crypto";
import { describe, expect, it } from "vitest";
import { api, sql, stack, tablesHolding, transactionNow, uniqueName } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import { startWebProcess } from "#e2e/web-process.ts";
import type { NewApiKey } from "#lib/api-keys/contract.ts";
import { codeOf, credentialOf, pathsOf, tenantWithAdmin } from "./keys.ts";

const DAY_MS = 86_400_000;

describe("issuing an API key", () => {
  it("returns the fields of the specification, the secret and a warning", async () => {
    const { create, tenant } = await tenantWithAdmin();
    const expires_at = new Date(Date.now() + 30 * DAY_MS).toISOString();
    const key = await create({
      name: "Ledger",
      scopes: ["write:exceptions", "read:reconciliations"],
      expires_at,
      ip_allowlist: ["10.1.2.3/8"],
    });
    expect(key).toMatchObject({
      id: expect.stringMatching(/^key_/),
      name: "Ledger",
      key_id: expect.stringMatching(/^tk_[0-9A-Za-z]{22}$/),
      key_secret: expect.stringMatching(/^tks_[0-9A-Za-z]{49}$/),
      scopes: ["read:reconciliations", "write:exceptions"],
      expires_at,
      ip_allowlist: ["10.0.0.0/8"],
      created_by: "user:ada",
      warning: expect.stringContaining("key_secret"),
    });
    const used = await api("GET", "/v1/reconciliations", { bearer: key.credential, tenant });
    expect(used.status).toBe(403);
    expect(codeOf(used)).toBe("ip_not_allowed");
  });

  it("never shows the secret again: not in the list, the record, the usage or an error", async () => {
    const { create, call, use } = await tenantWithAdmin();
    const key = await create();
    await use(key.credential);
    const answers = await Promise.all([
      call("GET", ""),
      call("GET", `/${key.id}`),
      call("GET", `/${key.id}/usage`),
      call("DELETE", `/${key.id}`),
    ]);
    answers.push(await use(key.credential));
    for (const answer of answers) {
      expect(answer.text).not.toContain(key.key_secret);
      expect(answer.text).not.toContain("digest");
    }
  });

  it.each([
    ["no name", { name: undefined }, "name"],
    ["a blank name", { name: " " }, "name"],
    ["121 characters of name", { name: "x".repeat(121) }, "name"],
    ["1,001 characters of description", { description: "x".repeat(1001) }, "description"],
    ["no scopes", { scopes: [] }, "scopes"],
    ["an unknown scope", { scopes: ["read:everything"] }, "scopes.0"],
    ["an expiry in the past", { expires_at: "2020-01-01T00:00:00Z" }, "expires_at"],
    [
      "an expiry over 10 years away",
      { expires_at: new Date(Date.now() + 3660 * DAY_MS).toISOString() },
      "expires_at",
    ],
    ["an expiry with an offset", { expires_at: "2027-01-01T00:00:00+01:00" }, "expires_at"],
    ["a prefix over 32", { ip_allowlist: ["10.0.0.0/33"] }, "ip_allowlist.0"],
    ["an octet over 255", { ip_allowlist: ["10.0.0.256"] }, "ip_allowlist.0"],
    ["an octal address", { ip_allowlist: ["010.0.0.1"] }, "ip_allowlist.0"],
    [
      "51 ranges",
      { ip_allowlist: Array.from({ length: 51 }, (_, index) => `10.0.0.${index}`) },
      "ip_allowlist",
    ],
    ["an unknown field", { role: "admin" }, "role"],
    ["256 characters of idempotency key", { idempotency_key: "x".repeat(256) }, "idempotency_key"],
  ])("refuses %s with a 400 that names the field", async (_what, change, path) => {
    const { call } = await tenantWithAdmin();
    const answer = await call("POST", "", {
      name: "Test key",
      scopes: ["read:exceptions"],
      ...change,
    });
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe("invalid_request");
    expect(pathsOf(answer)).toContain(path);
  });

  it("lists the catalogue if a scope is unknown", async () => {
    const { call } = await tenantWithAdmin();
    expect((await call("POST", "", { name: "n", scopes: ["read:all"] })).text).toContain(
      "write:release-notes",
    );
  });

  it("gives one key, audit row and secret to 100 identical creates in two processes", async () => {
    const { tenant, admin, path } = await tenantWithAdmin();
    const other = await startWebProcess();
    try {
      const body = {
        name: "Once",
        scopes: ["read:exceptions"],
        idempotency_key: uniqueName("once"),
      };
      const answers = await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const response = await fetch(`${index % 2 ? stack.url : other.url}${path}`, {
            method: "POST",
            headers: {
              Authorization: `Bearer ${admin}`,
              "X-Tenant-Id": tenant,
              "Content-Type": "application/json",
            },
            body: JSON.stringify(body),
          });
          return {
            status: response.status,
            replayed: response.headers.get("idempotency-replayed"),
            key: (await response.json()) as NewApiKey,
          };
        }),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(answers.map(({ key }) => credentialOf(key))).size).toBe(1);
      expect(answers.filter(({ replayed }) => replayed === null)).toHaveLength(1);
      expect(await sql("select from public.api_keys where tenant_id = $1", [tenant])).toHaveLength(
        1,
      );
      expect(
        await sql(
          "select from public.security_events where tenant_id = $1 and type = 'api_key.created'",
          [tenant],
        ),
      ).toHaveLength(1);
    } finally {
      await other.stop();
    }
  });

  it("rejects an idempotency key with another body", async () => {
    const { call } = await tenantWithAdmin();
    const idempotency_key = uniqueName("key");
    const first = await call("POST", "", {
      name: "A",
      scopes: ["read:exceptions"],
      idempotency_key,
    });
    const second = await call("POST", "", {
      name: "B",
      scopes: ["read:exceptions"],
      idempotency_key,
    });
    expect([first.status, second.status]).toEqual([201, 422]);
    expect(codeOf(second)).toBe("idempotency_mismatch");
  });

  it.runIf(WHOLE)("accepts one of 100 different bodies with one idempotency key", async () => {
    const { tenant, call } = await tenantWithAdmin();
    const idempotency_key = uniqueName("race");
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        call("POST", "", { name: `N${index}`, scopes: ["read:exceptions"], idempotency_key }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(99);
    expect(await sql("select from public.api_keys where tenant_id = $1", [tenant])).toHaveLength(1);
  });

  it("keeps nothing from which the secret can be read, even for retries", async () => {
    const { tenant, create } = await tenantWithAdmin();
    const idempotency_key = uniqueName("sealed");
    const since = await transactionNow();
    const { key_id, key_secret } = await create({ idempotency_key });
    expect(
      await tablesHolding([key_secret, key_secret.slice(4, 47), idempotency_key], since),
    ).toEqual([]);
    expect(await tablesHolding([key_id], since)).toContain("public.api_keys");

    const [stored] = await sql<{ answer: string }>(
      "select answer::text from private.idempotency_keys where tenant_id = $1",
      [tenant],
    );
    const sealed = /"sealed": "([^"]+)"/.exec(stored?.answer ?? "")?.[1] ?? "";
    const bytes = Buffer.from(sealed, "base64url");
    const serverKey = Buffer.from(stack.encryptionKeys.split(",")[0] ?? "", "base64");
    expect(bytes.length).toBeGreaterThan(50);
    const decipher = createDecipheriv("aes-256-gcm", serverKey, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(-16));
    decipher.update(bytes.subarray(12, -16));
    expect(() => decipher.final()).toThrow();
  });

  it("changes nothing if the audit row can't be written, and hides the cause", async () => {
    const { tenant, call } = await tenantWithAdmin();
    await sql(
      `alter table public.security_events add constraint "no audit for ${tenant}" check (tenant_id
         <> '${tenant}') not valid`,
    );
    try {
      const idempotency_key = uniqueName("half");
      const answer = await call("POST", "", {
        name: "Half",
        scopes: ["read:exceptions"],
        idempotency_key,
      });
      expect(answer.status).toBe(500);
      expect(codeOf(answer)).toBe("internal");
      expect(answer.json).toHaveProperty(
        "detail",
        "Something went wrong on our side. It was logged under this request ID.",
      );
      expect(await sql("select from public.api_keys where tenant_id = $1", [tenant])).toHaveLength(
        0,
      );
      expect(
        await sql("select from private.idempotency_keys where tenant_id = $1", [tenant]),
      ).toHaveLength(0);
    } finally {
      await sql(`alter table public.security_events drop constraint "no audit for ${tenant}"`);
    }
  });
});
