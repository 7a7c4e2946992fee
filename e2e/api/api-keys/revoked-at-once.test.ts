import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Gateway } from "#e2e/gateway.ts";
import { until } from "#e2e/until.ts";
import { startWebProcess, type WebProcess } from "#e2e/web-process.ts";
import { tenantWithAdmin } from "./keys.ts";

let gateway: Gateway;
let web: WebProcess;
beforeAll(async () => {
  gateway = await Gateway.start();
  web = await startWebProcess({ SUPABASE_URL: gateway.url });
});
afterAll(async () => {
  await web?.stop();
  gateway.stop();
});

describe.each([
  ["revoked", "DELETE", ""],
  ["rotated without a grace period", "POST", "/rotate"],
])("a key that is %s while a lookup of it is under way", (_what, method, suffix) => {
  it("is refused by the process that changed it, as soon as that has responded", async () => {
    const { admin, create, path, tenant } = await tenantWithAdmin();
    const { id, credential } = await create();
    const call = (bearer: string, to: string, init: RequestInit = {}) =>
      fetch(`${web.url}${to}`, {
        ...init,
        headers: {
          Authorization: `Bearer ${bearer}`,
          "X-Tenant-Id": tenant,
          ...(init.body ? { "Content-Type": "application/json" } : {}),
        },
      });
    const use = () => call(credential, "/v1/exceptions").then(({ status }) => status);

    gateway.hold(({ name }) => name === "find_api_key");
    const before = use();
    await until("the lookup has read the key", async () => gateway.held > 0);
    const changed = await call(admin, `${path}/${id}${suffix}`, {
      method,
      body: JSON.stringify(suffix ? { grace_period_seconds: 0 } : {}),
    });
    expect(changed.status).toBeLessThan(300);
    const after = use();
    gateway.release();

    expect(await after).toBe(401);
    await before;
    expect(await use()).toBe(401);
  });
});
