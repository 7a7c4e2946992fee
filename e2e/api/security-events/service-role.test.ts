import { beforeEach, describe, expect, it } from "vitest";
import { api, sql, stack, uniqueName } from "#e2e/fixtures.ts";
import { WHOLE } from "#e2e/gate.ts";
import { CONTRACTS } from "#lib/openapi/operations.ts";
import { codeOf } from "../api-keys/keys.ts";
import { createFixture, invoke } from "../contracts/operation.ts";
import { sampleFor } from "../contracts/samples.ts";
import { type Trail, tenantWithTrail } from "./trail.ts";

let trail: Trail;

beforeEach(async () => {
  trail = await tenantWithTrail();
});

describe("the service-role key", () => {
  const service = (
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ) =>
    api(method, path, {
      bearer: stack.secretKey,
      tenant: trail.tenant,
      body,
      headers: { "X-Audit-Reason": "Ticket 4711", ...headers },
    });

  it("records exactly one event per call: reads, changes, recorded changes and failures", async () => {
    const answers = [
      await service("GET", "/v1/me"),
      await service("POST", "/v1/exceptions", { title: "By the service", severity: "low" }),
      await service("POST", "/v1/webhooks", {
        url: "http://127.0.0.1:9/",
        events: ["exception.created"],
        secret: uniqueName("a secret of mine"),
      }),
      await service("GET", "/v1/exceptions?no_such_parameter=1"),
      await service("GET", "/v1/exceptions/exc_00000000000000000000000000000000"),
      await service("GET", `/v1/tenants/${trail.tenant}/api-keys`),
      await service(
        "GET",
        "/v1/exceptions/sla/report/export?since=2026-01-01T00:00:00Z&until=2026-02-01T00:00:00Z&format=csv",
      ),
      await service("GET", "/v1/security-events/verify"),
      await service("GET", "/v1/security-events/export?format=ndjson"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([
      200, 201, 201, 400, 404, 403, 200, 200, 200,
    ]);
    const { items } = await trail.list();
    const found = answers.map(({ headers }) =>
      items.filter(({ request_id }) => request_id === headers.get("x-request-id")),
    );
    expect(found.map((events) => events.map(({ type }) => type))).toEqual([
      ["service_role.call"],
      ["service_role.call"],
      ["webhook.created"],
      ["service_role.call"],
      ["service_role.call"],
      ["service_role.call"],
      ["data.exported"],
      ["service_role.call"],
      ["data.exported"],
    ]);
    for (const [event] of found)
      expect(event).toMatchObject({
        actor: "service_role",
        credential: "service_role",
        cross_tenant: true,
        reason: "Ticket 4711",
      });
    expect(found[4]?.[0]?.details).toMatchObject({ outcome: "not_found" });
    expect(items).toHaveLength(answers.length);
  });

  it("leaves one event also for a call of many steps", async () => {
    const rows = Array.from({ length: 2100 }, (_, n) =>
      JSON.stringify({ title: `Item ${n}`, severity: "low" }),
    ).join("\n");
    const answer = await api("POST", "/v1/exceptions/import", {
      bearer: stack.secretKey,
      tenant: trail.tenant,
      body: rows,
      headers: { "Content-Type": "application/x-ndjson", "X-Audit-Reason": "Migration" },
    });
    expect(answer.json).toMatchObject({ accepted: 2100 });
    expect((await trail.list()).items).toMatchObject([
      { type: "exceptions.imported", reason: "Migration" },
    ]);
  });

  it("is recorded for no tenant if the named tenant doesn't exist", async () => {
    const answer = await api("GET", "/v1/me", {
      bearer: stack.secretKey,
      tenant: "no-such-tenant",
      headers: { "X-Audit-Reason": "Typo" },
    });
    expect(answer.status).toBe(403);
    const rows = await sql(
      `select from public.security_events where tenant_id is null and request_id = $1
         and reason = 'Typo'`,
      [answer.headers.get("x-request-id")],
    );
    expect(rows).toHaveLength(1);
  });

  it.runIf(WHOLE)(
    "leaves one event for every operation that names a tenant that does not exist",
    async () => {
      const fixture = await createFixture();
      const operations = CONTRACTS.filter(({ access }) => access.service);
      const calls: [operationId: string, requestId: string | null][] = [];
      for (const contract of operations) {
        const sample = await sampleFor(contract, fixture);
        const tenant = uniqueName("none");
        const params =
          contract.tenantParam === null
            ? sample.params
            : { ...sample.params, [contract.tenantParam]: tenant };
        const answer = await invoke(
          contract,
          fixture,
          { bearer: stack.secretKey, tenant, headers: { "X-Audit-Reason": "Typo" } },
          { ...sample, params },
        );
        expect([contract.operationId, answer.status]).toEqual([contract.operationId, 403]);
        calls.push([contract.operationId, answer.headers.get("x-request-id")]);
      }
      const events = await sql<{ request_id: string }>(
        `select request_id from public.security_events where tenant_id is null
         and request_id = any ($1)`,
        [calls.map(([, requestId]) => requestId)],
      );
      const recorded = (requestId: string | null) =>
        events.filter(({ request_id }) => request_id === requestId).length;
      expect(calls.filter(([, requestId]) => recorded(requestId) !== 1)).toEqual([]);
    },
  );

  it.each([
    ["Origin", "https://app.example"],
    ["Origin", "null"],
    ["Sec-Fetch-Site", "cross-site"],
    ["Sec-Fetch-Dest", "empty"],
  ])("is refused from a browser, which sends %s: %s, and recorded", async (name, value) => {
    const answer = await service("GET", "/v1/exceptions", undefined, { [name]: value });
    expect(answer.status).toBe(403);
    expect(codeOf(answer)).toBe("browser_forbidden");
    expect(await trail.one("access.refused")).toMatchObject({
      credential: "service_role",
      cross_tenant: true,
      request_id: answer.headers.get("x-request-id"),
    });
  });
});
