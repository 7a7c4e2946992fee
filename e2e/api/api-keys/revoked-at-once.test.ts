import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stack } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { startWebProcess, type WebProcess } from "#e2e/web-process.ts";
import { tenantWithAdmin } from "./keys.ts";

const LOOKUP = "/rest/v1/rpc/find_api_key";

/** Stands before the Data API. What it answered to lookups of keys is kept back until it is let go. */
let between: Server;
let answered: (() => void)[] = [];
let holding = false;
let web: WebProcess;

beforeAll(async () => {
  between = createServer(async (request, response) => {
    const body = await request.toArray();
    const { host: _host, connection: _connection, "content-length": _length, ...headers } = request.headers as Record<string, string>;
    const answer = await fetch(`${stack.supabaseUrl}${request.url}`, {
      method: request.method,
      headers,
      body: body.length > 0 ? Buffer.concat(body) : undefined,
    });
    const text = await answer.text();
    if (holding && request.url === LOOKUP) await new Promise<void>((letGo) => answered.push(letGo));
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" }).end(text);
  });
  between.listen(0, "127.0.0.1");
  await once(between, "listening");
  web = await startWebProcess({ SUPABASE_URL: `http://127.0.0.1:${(between.address() as AddressInfo).port}` });
});
afterAll(async () => {
  await web.stop();
  between.closeAllConnections();
  between.close();
});

describe.each([
  ["revoked", "DELETE", ""],
  ["rotated without a grace period", "POST", "/rotate"],
])("a key that is %s while a lookup of it is under way", (_what, method, suffix) => {
  it("is refused by the process that did it, from its answer on", async () => {
    const { admin, create, path, tenant } = await tenantWithAdmin();
    const { id, credential } = await create();
    const call = (bearer: string, to: string, init: RequestInit = {}) =>
      fetch(`${web.url}${to}`, {
        ...init,
        headers: { Authorization: `Bearer ${bearer}`, "X-Tenant-Id": tenant, ...(init.body ? { "Content-Type": "application/json" } : {}) },
      });
    const use = () => call(credential, "/v1/exceptions").then(({ status }) => status);

    holding = true;
    const before = use();
    await until("the lookup has read the key", async () => answered.length > 0);
    const changed = await call(admin, `${path}/${id}${suffix}`, {
      method,
      body: JSON.stringify(suffix ? { grace_period_seconds: 0 } : {}),
    });
    expect(changed.status).toBeLessThan(300);
    const after = use();
    holding = false;
    for (const letGo of answered) letGo();
    answered = [];

    expect(await after).toBe(401);
    await before;
    expect(await use()).toBe(401);
  });
});
