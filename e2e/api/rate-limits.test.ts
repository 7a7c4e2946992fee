import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { stack } from "#e2e/fixtures.ts";
import { Gateway } from "#e2e/gateway.ts";
import { until } from "#e2e/until.ts";
import { startWebProcess, type WebProcess } from "#e2e/web-process.ts";
import { mintCredential } from "#lib/api-keys/credential-format.ts";
import { credentialOf, tenantWithAdmin } from "./api-keys/keys.ts";

let tenant: string;
let admin: string;
let create: Awaited<ReturnType<typeof tenantWithAdmin>>["create"];
beforeAll(async () => {
  ({ tenant, admin, create } = await tenantWithAdmin());
});

let web: WebProcess;
afterEach(() => web.stop());

/** Starts a web process behind one proxy, which reports the caller's address. */
const start = async (variables: Record<string, string>) => {
  web = await startWebProcess({ TRUSTED_PROXY_HOPS: "1", ...variables });
};

async function call(bearer: string, from = "203.0.113.7", path = "/v1/me") {
  const answer = await fetch(`${web.url}${path}`, {
    headers: { Authorization: `Bearer ${bearer}`, "X-Tenant-Id": tenant, "X-Forwarded-For": from },
    redirect: "manual",
  });
  await answer.arrayBuffer();
  return answer;
}
const statuses = async (count: number, ...of: Parameters<typeof call>) => {
  const seen: number[] = [];
  for (let n = 0; n < count; n++) seen.push((await call(...of)).status);
  return seen;
};

const unknownCredential = () => {
  const { keyId, secret } = mintCredential();
  return credentialOf({ key_id: keyId, key_secret: secret });
};

describe("failed credentials beyond the limit of an address per minute", () => {
  test("are not looked up any more, while recently valid keys keep working", async () => {
    const [{ credential: used }, { credential: unused }] = await Promise.all([create(), create()]);
    await start({ AUTH_FAILURES_PER_MINUTE: "5" });
    expect((await call(used)).status).toBe(200);
    for (let n = 0; n < 5; n++) expect((await call(unknownCredential())).status).toBe(401);

    const refused = await call(unused);
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    expect([(await call(used)).status, (await call(admin)).status]).toEqual([200, 200]);
    expect((await call(unused, "203.0.113.8")).status).toBe(200);
  });

  test("count IPv6 addresses by network", async () => {
    await start({ AUTH_FAILURES_PER_MINUTE: "3" });
    for (const host of [":1", ":2", "ffff:ffff:ffff:ffff"])
      expect(await statuses(1, "wrong", `2001:db8:7:7:${host}`)).toEqual([401]);
    expect((await call("wrong", "2001:db8:7:7::4")).status).toBe(429);
    expect((await call("wrong", "2001:db8:7:8::1")).status).toBe(401);
  });
});

test("the publishable key has a limit of calls per address", async () => {
  await start({ RATE_LIMIT_PER_MINUTE: "3" });
  expect(await statuses(4, stack.publishableKey)).toEqual([200, 200, 200, 429]);
  expect(await statuses(1, stack.publishableKey, "203.0.113.9")).toEqual([200]);
});

test("an address has a limit on requests, refusals and pages, and not on scripts", async () => {
  await start({ RATE_LIMIT_PER_ADDRESS: "6" });
  expect(await statuses(2, "wrong")).toEqual([401, 401]);
  expect(await statuses(2, admin, undefined, "/v1/tenants/another/api-keys")).toEqual([403, 403]);
  expect(await statuses(2, admin, undefined, "/sign-in")).toEqual([200, 200]);
  const refused = await call(admin);
  expect([refused.status, refused.headers.get("content-type")]).toEqual([
    429,
    "application/problem+json",
  ]);
  expect((await call(admin, undefined, "/sign-in")).status).toBe(429);
  expect((await call(admin, "203.0.113.9")).status).toBe(200);
});

test("several web processes on a port count together", async () => {
  await start({ WEB_CONCURRENCY: "3", RATE_LIMIT_PER_MINUTE: "6", AUTH_FAILURES_PER_MINUTE: "6" });
  const spread = async (count: number, bearer: string) => {
    const answers = await Promise.all(Array.from({ length: count }, () => call(bearer)));
    return answers.map(({ status }) => status).sort();
  };
  expect(await spread(9, admin)).toEqual([...Array(6).fill(200), ...Array(3).fill(429)]);
  expect(await spread(9, "wrong")).toEqual([...Array(6).fill(401), ...Array(3).fill(429)]);
});

describe("while a tenant asks for more than its share of the database", () => {
  let gateway: Gateway;
  afterEach(() => gateway.stop());

  test.each([
    ["searches", "/v1/exceptions?q=payout", "list_exceptions", 2],
    ["exports", "/v1/exceptions/sla/export?format=csv", "list_sla_exceptions", 1],
    ["pages", "/v1/reconciliations", "list_reconciliations", 8],
  ])(
    "with %s, other tenants are served, and so are its other calls",
    async (_what, path, name, atOnce) => {
      const other = await tenantWithAdmin();
      gateway = await Gateway.start();
      await start({ SUPABASE_URL: gateway.url });
      gateway.hold((held) => held.name === name);
      const crowd = Array.from({ length: 16 }, () => call(admin, undefined, path));
      await until("its share is under way", async () => gateway.held === atOnce);

      if (name !== "list_reconciliations") expect((await call(admin)).status).toBe(200);
      gateway.hold(() => false);
      const answer = await fetch(`${web.url}${path}`, {
        headers: { Authorization: `Bearer ${other.admin}`, "X-Tenant-Id": other.tenant },
      });
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
      expect(gateway.held).toBe(atOnce);

      gateway.release();
      expect((await Promise.all(crowd)).map(({ status }) => status)).toEqual(Array(16).fill(200));
    },
  );
});
