import { describe, expect, it } from "vitest";
import { tenantWithAdmin } from "#e2e/api/api-keys/keys.ts";
import {
  type Answer,
  api,
  createTenant,
  sql,
  stack,
  uniqueName,
  userToken,
} from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import type {
  LoggedRequest,
  LoggedRequestDetail,
  RequestStats,
} from "#lib/request-log/contract.ts";

type Page = { items: LoggedRequest[]; next_cursor: string | null };

const idOf = (answer: Answer) => answer.headers.get("x-request-id") ?? "";

/** A tenant with its admin, and readers of its log. */
async function tenantWithLog() {
  const created = await tenantWithAdmin();
  const { tenant, admin } = created;
  const list = async (query: Record<string, string> = {}, bearer = admin) =>
    (await api("GET", "/v1/requests", { bearer, tenant, query })).json as Page;
  const get = async (id: string, bearer = admin) =>
    (await api("GET", `/v1/requests/${id}`, { bearer, tenant })).json as LoggedRequestDetail;
  /** The log entry of a call with this response, once it is written. */
  const logged = async (answer: Answer, bearer = admin) => {
    await until(
      "the call is logged",
      async () => (await list({ request_id: idOf(answer) })).items.length > 0,
    );
    return get(idOf(answer), bearer);
  };
  return { ...created, list, get, logged };
}

describe("the request log", () => {
  it("contains a call with its caller, request and response", async () => {
    const { tenant, create, logged } = await tenantWithLog();
    const key = await create({ scopes: ["write:exceptions"] });
    const body = { title: "Payout 4711 has no bank line", severity: "high" };
    const answer = await api("POST", "/v1/exceptions", { bearer: key.credential, tenant, body });
    const call = await logged(answer);
    expect(call).toMatchObject({
      operation: "createException",
      method: "POST",
      path: "/v1/exceptions",
      status: 201,
      error_code: null,
      refused: false,
      credential: "api_key",
      actor: `api_key:${key.id}`,
      api_key_id: key.id,
      address: expect.stringMatching(/127\.0\.0\.1|::1/),
      resource: (answer.json as { id: string }).id,
      request: {
        headers: { "x-tenant-id": tenant, authorization: `Bearer ${key.key_id}.[redacted]` },
        truncated: false,
      },
      response: { headers: { "content-type": "application/json" } },
    });
    expect(JSON.parse(call.request?.body ?? "")).toEqual(body);
    expect(call.response?.body).toBe(answer.text);
    expect(call.duration_ms).toBeLessThan(60_000);
  });

  it("contains a refused call with the code of its error", async () => {
    const { tenant, admin, logged, list } = await tenantWithLog();
    const answer = await api("POST", "/v1/exceptions", {
      bearer: admin,
      tenant,
      body: '{"title": 4',
    });
    expect(await logged(answer)).toMatchObject({
      status: 400,
      error_code: "invalid_request",
      actor: "user:ada",
      credential: "token",
    });
    expect((await list({ status: "failed" })).items.map(({ id }) => id)).toEqual([idOf(answer)]);
    expect((await list({ error_code: "not_found" })).items).toEqual([]);
  });

  it("contains refused calls of a named key's tenant, and unknown paths", async () => {
    const { tenant, create, logged, call } = await tenantWithLog();
    const { id, key_id, credential } = await create();
    const wrong = await api("GET", "/v1/me", { bearer: `${key_id}.tks_nonsense`, tenant });
    expect(await logged(wrong)).toMatchObject({
      status: 401,
      error_code: "unauthenticated",
      actor: null,
      api_key_id: id,
    });
    const nowhere = await api("POST", "/v1/exception", { bearer: credential, tenant, body: {} });
    expect(await logged(nowhere)).toMatchObject({
      status: 404,
      operation: null,
      path: "/v1/exception",
      api_key_id: id,
    });
    const elsewhere = await api("GET", "/v1/exceptions", {
      bearer: credential,
      tenant: await createTenant(),
    });
    expect(await logged(elsewhere)).toMatchObject({
      status: 403,
      error_code: "tenant_forbidden",
      actor: `api_key:${id}`,
    });
    await call("DELETE", `/${id}`, {});
    const revoked = await api("GET", "/v1/exceptions", { bearer: credential, tenant });
    expect(await logged(revoked)).toMatchObject({ status: 401, api_key_id: id });
  });

  it("hides a key's secret in path, resource, query, header, user agent and body", async () => {
    const { tenant, create, logged } = await tenantWithLog();
    const { credential } = await create();
    const secret = credential.split(".")[1] ?? "";
    const encoded = secret.replace("_", "%5F");
    const headers = { "user-agent": `cli ${credential}`, "x-note": secret };
    const calls = [
      await api("GET", `/v1/exceptions/${secret}`, { bearer: credential, tenant, headers }),
      await api("GET", `/v1/exceptions/${encoded}`, { bearer: credential, tenant, headers }),
      await api("GET", `/v1/nowhere/${encoded}?q=${encoded}`, { bearer: credential, tenant }),
      await api("GET", `/v1/exceptions?q=${encoded}`, { bearer: credential, tenant }),
    ];
    for (const answer of calls) {
      const stored = JSON.stringify(await logged(answer));
      expect(decodeURIComponent(stored)).not.toContain(secret.slice(4));
      expect(stored).toContain("[redacted]");
    }
  });

  it("keeps no headers, query or long path of a call whose key was not verified", async () => {
    const { tenant, create, logged } = await tenantWithLog();
    const { key_id } = await create();
    const headers = { "x-padding": "p".repeat(4000) };
    const bearer = `${key_id}.guess`;
    for (const path of ["/v1/exceptions", `/v1/${"nowhere".repeat(100)}`]) {
      const answer = await api("GET", `${path}?padding=${"p".repeat(2000)}`, {
        bearer,
        tenant,
        headers,
      });
      const stored = await logged(answer);
      expect(stored).toMatchObject({ query: "", request: { headers: {}, body: null } });
      expect(stored.path.length).toBeLessThanOrEqual(200);
    }
  });

  it("shows nobody a call that was refused before its tenant was known", async () => {
    const { tenant, admin, logged } = await tenantWithLog();
    const nobody = await api("GET", "/v1/me", { tenant });
    const stranger = await api("GET", "/v1/me", {
      bearer: await userToken(await createTenant(), ["tenant_admin"]),
      tenant,
    });
    await logged(await api("GET", "/v1/me", { bearer: admin, tenant }));
    expect(
      await sql("select from request_log where id = any ($1)", [[idOf(nobody), idOf(stranger)]]),
    ).toEqual([]);
  });

  it("never contains secrets of keys and webhooks, or the credential used", async () => {
    const { tenant, admin, create, call, use, logged } = await tenantWithLog();
    const own = uniqueName("my own signing secret");
    const webhook = (body: object) =>
      api("POST", "/v1/webhooks", {
        bearer: admin,
        tenant,
        body: { url: "http://127.0.0.1:9/", events: ["webhook.test"], ...body },
      });
    const key = await create();
    const rotated = await call("POST", `/${key.id}/rotate`, {});
    const [minted, brought] = [await webhook({}), await webhook({ secret: own })];
    const { id, secret } = minted.json as { id: string; secret: string };
    const again = await api("POST", `/v1/webhooks/${id}/rotate-secret`, {
      bearer: admin,
      tenant,
      body: { secret: `${own} 2` },
    });
    const refused = await webhook({ url: "nonsense", secret: `${own} 3` });
    const inQuery = await api("GET", "/v1/exceptions", {
      bearer: key.credential,
      tenant,
      query: { api_key: key.credential },
    });
    for (const answer of [
      rotated,
      minted,
      brought,
      again,
      refused,
      inQuery,
      await use(key.credential),
    ])
      await logged(answer);
    const secrets = [
      key.key_secret,
      (rotated.json as { key_secret: string }).key_secret,
      secret,
      own,
      admin,
    ];
    expect(secrets.every((item) => item.length > 8)).toBe(true);
    const holding = await sql<{ id: string }>(
      `select id from request_log t where tenant_id = $1
         and exists (select from unnest($2::text[]) x where strpos(t::text, x) > 0)`,
      [tenant, secrets],
    );
    expect(holding).toEqual([]);
    expect(await logged(minted)).toMatchObject({
      response: { body: expect.stringContaining('"secret":"[redacted]"') },
    });
  });

  it("is listed by filters, a page at a time, newest first", async () => {
    const { tenant, admin, create, use, list, logged } = await tenantWithLog();
    const { id, credential } = await create();
    const calls: Answer[] = [];
    for (let nth = 0; nth < 5; nth++) calls.push(await use(credential));
    const got = await api("GET", `/v1/exceptions/exc_${"0".repeat(32)}`, { bearer: admin, tenant });
    for (const call of [...calls, got]) await logged(call);
    const newestFirst = calls.map(idOf).reverse();
    const mine = { api_key_id: id, operation: "listExceptions", credential: "api_key" };
    const first = await list({ ...mine, limit: "3" });
    const second = await list({ ...mine, limit: "3", cursor: first.next_cursor ?? "" });
    expect([...first.items, ...second.items].map((item) => item.id)).toEqual(newestFirst);
    expect(second.next_cursor).toBeNull();
    const since = first.items[2]?.at ?? "";
    expect((await list({ ...mine, since })).items).toHaveLength(3);
    expect((await list({ ...mine, until: since })).items.map((item) => item.id)).toEqual(
      newestFirst.slice(3),
    );
    expect(
      (await list({ resource: `exc_${"0".repeat(32)}` })).items.map((item) => item.id),
    ).toEqual([idOf(got)]);
    expect((await list({ status: "4xx", actor: "user:ada" })).items.map((item) => item.id)).toEqual(
      [idOf(got)],
    );
  });

  it("never returns another tenant's calls", async () => {
    const { tenant, admin, logged } = await tenantWithLog();
    const other = await tenantWithLog();
    const answer = await api("GET", "/v1/me", { bearer: admin, tenant });
    await logged(answer);
    expect(await other.get(idOf(answer))).toMatchObject({ status: 404, code: "not_found" });
    expect((await other.list({ request_id: idOf(answer) })).items).toEqual([]);
  });

  it("shows an API key bodies only of operations that it may call", async () => {
    const { tenant, admin, create, list, logged } = await tenantWithLog();
    const reader = (await create({ scopes: ["read:requests", "read:exceptions"] })).credential;
    const listed = await api("GET", "/v1/exceptions", { bearer: admin, tenant });
    const webhooks = await api("GET", "/v1/webhooks", {
      bearer: admin,
      tenant,
      query: { status: "active" },
    });
    const queryOf = async (bearer: string) =>
      (await list({ request_id: idOf(webhooks) }, bearer)).items.map(({ query }) => query);
    expect(await logged(listed, reader)).toMatchObject({ response: { body: listed.text } });
    expect(await logged(webhooks, reader)).toMatchObject({
      status: 200,
      query: "",
      request: null,
      response: null,
    });
    expect([await queryOf(reader), await queryOf(admin)]).toEqual([[""], ["status=active"]]);
    expect(await logged(webhooks, stack.secretKey)).toMatchObject({
      response: { body: webhooks.text },
    });
  });

  it("never shows personal data, or event payloads beyond a key's scopes", async () => {
    const { tenant, admin, create, logged } = await tenantWithLog();
    const lead = await userToken(tenant, ["tenant_lead"]);
    const view = await api("POST", "/v1/views", {
      bearer: lead,
      tenant,
      body: { name: "Mine", filters: { q: "payroll" } },
    });
    expect(view.status).toBe(201);
    expect(await logged(view)).toMatchObject({ status: 201, request: null, response: null });
    const key = (await create({ scopes: ["read:requests", "read:webhooks"] })).credential;
    const delivery = await api("GET", "/v1/webhooks/whk_0/deliveries/dlv_0", {
      bearer: admin,
      tenant,
    });
    expect(await logged(delivery, key)).toMatchObject({
      operation: "getWebhookDelivery",
      request: null,
      response: null,
    });
    expect(await logged(delivery)).toMatchObject({ response: { body: delivery.text } });
  });

  it("is counted over time, with response times", async () => {
    const { tenant, admin, use, create, logged } = await tenantWithLog();
    const { id, credential } = await create();
    const calls = [
      await use(credential),
      await use(credential),
      await api("GET", "/v1/webhooks", { bearer: credential, tenant }),
    ];
    for (const call of calls) await logged(call);
    await sql(
      `update request_log set duration_ms = case id when $2 then 100 else 10 end
       where tenant_id = $1`,
      [tenant, idOf(calls[0] as Answer)],
    );
    const stats = async (query: Record<string, string>) =>
      (await api("GET", "/v1/requests/stats", { bearer: admin, tenant, query }))
        .json as RequestStats;
    const day = await stats({ api_key_id: id });
    const total = (name: "calls" | "client_errors" | "server_errors") =>
      day.steps.reduce((sum, step) => sum + step[name], 0);
    expect([
      day.step_seconds,
      total("calls"),
      total("client_errors"),
      total("server_errors"),
    ]).toEqual([900, 3, 1, 0]);
    expect(day.steps.every(({ start }) => Date.parse(start) % 900_000 === 0)).toBe(true);
    expect(Math.max(...day.steps.map((step) => step.p99_ms))).toBe(100);
    expect(
      (await stats({ status: "4xx", api_key_id: id })).steps.map((step) => step.calls),
    ).toEqual([1]);
    expect(
      (await stats({ since: "2026-01-01T00:00:00Z", until: "2026-01-01T01:00:00Z" })).steps,
    ).toEqual([]);
  });
});
