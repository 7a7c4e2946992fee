import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { api, sql, tablesHolding, transactionNow } from "#e2e/fixtures.ts";
import { until } from "#e2e/until.ts";
import { type Registered, Subscriber } from "#e2e/webhooks/subscriber.ts";
import type { Webhook } from "#lib/webhooks/contract.ts";
import { tenantWithAdmin } from "../api-keys/keys.ts";
import { expectProblem } from "../contracts/conformance.ts";
import { receiver } from "./shared-receiver.ts";

let subscriber: Subscriber;
let webhook: Registered;
beforeAll(async () => {
  subscriber = await Subscriber.create(receiver);
  webhook = await subscriber.register(["exception.created"]);
});

const change = (body: object) => subscriber.call<Webhook>("PATCH", webhook.url, body);
const report = (severity: string) =>
  subscriber.call("POST", "/v1/exceptions", { title: `A ${severity} one`, severity });

test("a delivery carries the headers, whose values stay sealed and unlogged", async () => {
  const since = await transactionNow();
  const value = "3f1c0d9be7a84c5f9a3e";
  const changed = await change({ headers: [{ name: "X-Gateway-Key", value }] });
  expect(changed.header_names).toEqual(["X-Gateway-Key"]);
  await subscriber.call("POST", `${webhook.url}/test`);
  const [got] = await webhook.gets(1);
  expect(got?.headers["x-gateway-key"]).toBe(value);
  // A header without a value keeps the stored one.
  await change({ headers: [{ name: "x-gateway-key" }, { name: "X-Other", value: "other" }] });
  await subscriber.call("POST", `${webhook.url}/test`);
  const [, next] = await webhook.gets(2);
  expect(next?.headers).toMatchObject({ "x-gateway-key": value, "x-other": "other" });
  await until("the change is in the request log", async () => {
    const logged = await sql(
      "select from request_log where tenant_id = $1 and operation = 'updateWebhook'",
      [subscriber.tenant],
    );
    return logged.length >= 2;
  });
  expect(await tablesHolding([value], since)).toEqual([]);
  expect(JSON.stringify(await webhook.get())).not.toContain(value);
});

test("headers are sent to a new address only with new values", async () => {
  await change({ headers: [{ name: "X-Gateway-Key", value: "secret" }] });
  const { url } = await webhook.get();
  const moved = url.replace("127.0.0.1", "localhost").replace(/:\d+/, ":9999");
  const refused = (body: object) =>
    subscriber.call<{ code: string }>("PATCH", webhook.url, body, [400]);
  expect(await refused({ url: moved })).toMatchObject({ errors: [{ path: "headers" }] });
  expect(await refused({ url: moved, headers: [{ name: "X-Gateway-Key" }] })).toMatchObject({
    errors: [{ path: "headers" }],
  });
  // Another path of the same host is the same receiver.
  await change({ url: `${url}?path=other` });
  await change({ url, headers: [] });
});

test.each([
  "webhook-signature",
  "Host",
  "Transfer-Encoding",
  "Proxy-Authorization",
  "content-length",
  "Cookie",
  "a b",
])("%s can't be set as a webhook's header", async (name) => {
  const body = { headers: [{ name, value: "x" }] };
  expect(await subscriber.call("PATCH", webhook.url, body, [400])).toMatchObject({
    errors: [{ path: "headers.0.name" }],
  });
});

test.each(["a\r\nX-Other: b", "schlüssel", " padded", ""])(
  "%j is refused as a header's value, without repeating it",
  async (value) => {
    const body = { headers: [{ name: "X-Gateway-Key", value }] };
    const refused = await subscriber.call("PATCH", webhook.url, body, [400]);
    expect(refused).toMatchObject({ errors: [{ path: "headers.0.value" }] });
    if (value !== "") expect(JSON.stringify(refused)).not.toContain(value.trim());
  },
);

test.each<[string, object, string]>([
  ["of an unknown field", { priority: ["high"] }, "filters"],
  ["of an unknown value", { severity: ["urgent"] }, "filters.severity.0"],
  ["of nothing", { severity: [] }, "filters.severity"],
  ["of an amount without its currency", { amount: { from_minor: 1 } }, "filters.amount.currency"],
  [
    "of a fraction of a cent",
    { amount: { currency: "EUR", from_minor: 0.5 } },
    "filters.amount.from_minor",
  ],
  ["of a source of another kind", { source_ids: ["rcn_1"] }, "filters.source_ids.0"],
])("a filter %s is refused, in a preview too", async (_name, filters, path) => {
  const errors = [{ path: expect.stringContaining(path) }];
  expect(await subscriber.call("PATCH", webhook.url, { filters }, [400])).toMatchObject({ errors });
  const preview = { events: ["exception.created"], filters };
  expect(
    await subscriber.call("POST", "/v1/webhooks/preview-filters", preview, [400]),
  ).toMatchObject({ errors });
});

test("many waiting deliveries are sent at the webhook's rate, and nothing is lost", async () => {
  const limited = await subscriber.register(["exception.created"]);
  await subscriber.call("PATCH", limited.url, { max_per_minute: 5 });
  // The minute must not end during the test.
  if (Date.now() % 60_000 > 45_000) await sleep(60_000 - (Date.now() % 60_000));
  for (let n = 0; n < 12; n += 1) await report("low");
  await limited.gets(5);
  await sleep(5_000);
  const sent = async () =>
    (await limited.deliveries()).filter(({ status }) => status === "delivered").length;
  expect(await sent()).toBe(5);
  // Without the limit, the others follow.
  await subscriber.call("PATCH", limited.url, { max_per_minute: null });
  await limited.gets(12);
});

test("a token endpoint that redirects to an internal address isn't followed", async () => {
  const [path, inside] = ["/token-that-redirects", "/token-inside"];
  const location = receiver.url(inside);
  await receiver.behave(path, { status: 307, headers: { location }, body: "{}" });
  const moved = await subscriber.register(["webhook.failing"]);
  await subscriber.call("PATCH", moved.url, {
    oauth: { token_url: receiver.url(path), client_id: "a", client_secret: "b" },
  });
  await subscriber.call("POST", `${moved.url}/test`);
  const [delivery] = await until("the attempt failed", async () => {
    const found = await moved.deliveries();
    return found.some(({ last_attempt }) => last_attempt?.status === "failed") && found;
  });
  expect(delivery?.last_attempt).toMatchObject({ failure_kind: "connection_failed" });
  expect(receiver.at(inside)).toEqual([]);
  // Nothing was sent without the token.
  expect(moved.received).toEqual([]);
});

test("a webhook receives only events that pass its filters, which a preview counts", async () => {
  const filtered = await subscriber.register(["exception.created"]);
  await subscriber.call("PATCH", filtered.url, { filters: { severity: ["critical"] } });
  const count = async () =>
    subscriber.call<{ total_count: number; matched_count: number }>(
      "POST",
      "/v1/webhooks/preview-filters",
      { events: ["exception.created"], filters: { severity: ["critical"] } },
    );
  const before = await count();
  await report("low");
  await report("critical");
  const [got] = await filtered.gets(1);
  expect(JSON.parse(got?.body ?? "")).toMatchObject({
    data: { exception: { severity: "critical" } },
  });
  expect(await filtered.deliveries()).toHaveLength(1);
  expect(await count()).toMatchObject({
    total_count: before.total_count + 2,
    matched_count: before.matched_count + 1,
  });
});

test("filters accept only the tenant's own resources", async () => {
  const other = await tenantWithAdmin();
  const { json } = await api("POST", "/v1/sources", {
    bearer: other.admin,
    tenant: other.tenant,
    body: { name: "Theirs", kind: "ledger", currency: "EUR" },
  });
  const answer = await subscriber.call(
    "PATCH",
    webhook.url,
    { filters: { source_ids: [(json as { id: string }).id] } },
    [400],
  );
  expect(answer).toMatchObject({ errors: [{ path: "filters.source_ids" }] });
  const key = await other.create({ scopes: ["read:webhooks"] });
  expectProblem(
    await api("POST", "/v1/webhooks/preview-filters", {
      bearer: key.credential,
      tenant: other.tenant,
      body: { events: ["exception.created"] },
    }),
    "scope_required",
  );
});

test("a delivery carries a client-credentials token, and a new one after a refusal", async () => {
  const path = "/token-of-options";
  await receiver.behave(path, {
    body: JSON.stringify({ access_token: "first-token", token_type: "Bearer", expires_in: 600 }),
    headers: { "content-type": "application/json" },
  });
  const secured = await subscriber.register(["webhook.failing"]);
  const since = await transactionNow();
  const client = {
    token_url: receiver.url(path),
    client_id: "tieout",
    client_secret: "s3cret-of-oauth",
  };
  const changed = await subscriber.call<Webhook>("PATCH", secured.url, { oauth: client });
  expect(changed.oauth).toEqual({ token_url: client.token_url, client_id: "tieout" });
  await subscriber.call("POST", `${secured.url}/test`);
  const [got] = await secured.gets(1);
  expect(got?.headers.authorization).toBe("Bearer first-token");
  expect(receiver.at(path)).toMatchObject([{ body: "grant_type=client_credentials" }]);

  // The receiver refuses the token, so the next attempt requests another one.
  await secured.behave({ status: 401 });
  await subscriber.call("POST", `${secured.url}/test`);
  await secured.gets(2);
  await receiver.behave(path, {
    body: JSON.stringify({ access_token: "second-token", token_type: "Bearer" }),
  });
  await secured.behave({});
  await subscriber.call("POST", `${secured.url}/test`);
  const next = (await secured.gets(3)).at(-1);
  expect(next?.headers.authorization).toBe("Bearer second-token");
  expect(await tablesHolding([client.client_secret], since)).toEqual([]);

  // Neither the secret nor the token is sent to another address.
  const refused = (body: object) => subscriber.call("PATCH", secured.url, body, [400]);
  const { url } = await secured.get();
  await refused({ url: url.replace("127.0.0.1", "localhost") });
  const { client_secret: _, ...settings } = client;
  const elsewhere = client.token_url.replace("127.0.0.1", "localhost");
  await refused({ oauth: { ...settings, token_url: elsewhere } });
  expect(await refused({ oauth: { ...client, token_url: "https://10.0.0.1/" } })).toMatchObject({
    errors: [{ path: "oauth.token_url" }],
  });
  // An unchanged address keeps the stored secret.
  await subscriber.call("PATCH", secured.url, { oauth: { ...settings, scope: "send" } });
  await subscriber.call("PATCH", secured.url, { oauth: null });
  expect((await secured.get()).oauth).toBeNull();
});
