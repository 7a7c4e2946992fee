import { inspect } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { Tieout, TieoutError } from "../src/index.ts";
import {
  cut,
  json,
  problem,
  refuse,
  type ScriptServer,
  scriptServer,
  stall,
} from "./script-server.ts";

const delays = vi.hoisted((): number[] => []);
vi.mock("../src/sleep.ts", () => ({
  sleep: async (ms: number, signal?: AbortSignal) => {
    signal?.throwIfAborted();
    delays.push(ms);
  },
}));

let server: ScriptServer;
let tieout: Tieout;
beforeAll(async () => {
  server = await scriptServer();
});
beforeEach(() => {
  delays.length = 0;
  tieout = new Tieout({ key: "id.secret", tenant: "acme", baseUrl: `${server.url}/` });
});
afterAll(() => server.close());

const created = json(201, { id: "exc_1" });
const create = (options = {}) =>
  tieout.exceptions.create({ title: "Payout", severity: "high" }, options);
const failureOf = (call: PromiseLike<unknown>): Promise<TieoutError> =>
  Promise.resolve(call).then(
    () => Promise.reject(new Error("The call succeeded.")),
    (error) => error,
  );

test("a call sends the credential, the tenant, its body and a key", async () => {
  server.script(created);
  expect(await create()).toEqual({ id: "exc_1" });
  const [request] = server.received;
  expect(request).toMatchObject({ method: "POST", url: "/v1/exceptions" });
  expect(request?.headers).toMatchObject({
    authorization: "Bearer id.secret",
    "x-tenant-id": "acme",
    "content-type": "application/json",
    "idempotency-key": expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(JSON.parse(request?.body ?? "")).toEqual({ title: "Payout", severity: "high" });
});

test.each([
  ["a refused connection", refuse],
  ["a response that was cut", cut],
  ["408", problem(408)],
  ["429", problem(429, {}, "1")],
  ["500", problem(500)],
  ["502 of a proxy", json(502, {})],
  ["503", problem(503, {}, "2")],
  ["504", problem(504)],
  ["409 that resolves by itself", problem(409, { code: "conflict", retryable: true }, "1")],
])("%s is retried with the same idempotency key", async (_name, step) => {
  server.script(step, step, created);
  expect(await create()).toEqual({ id: "exc_1" });
  const keys = server.received.map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
});

test.each([
  [400, {}],
  [401, {}],
  [403, {}],
  [404, {}],
  [409, { code: "conflict", retryable: false }],
  [409, {}],
  [412, {}],
  [422, { code: "idempotency_mismatch", retryable: true }],
])("%i with %o is not retried", async (status, body) => {
  server.script(problem(status, body), created);
  expect(await failureOf(create())).toMatchObject({ status, retryable: false });
  expect(server.received).toHaveLength(1);
});

test("two calls have different idempotency keys, and the caller's own key is used", async () => {
  server.script(created, created, created, created);
  await create();
  await create();
  await create({ idempotencyKey: "mine" });
  await tieout.exceptions.create({ title: "x", severity: "low", idempotency_key: "in the body" });
  const keys = server.received.map(({ headers }) => headers["idempotency-key"]);
  expect(keys[0]).not.toBe(keys[1]);
  expect(keys.slice(2)).toEqual(["mine", "in the body"]);
});

test("a GET has no idempotency key", async () => {
  server.script(json(200, { id: "exc_1" }));
  await tieout.exceptions.get("exc_1");
  expect(server.received[0]?.headers).not.toHaveProperty("idempotency-key");
});

test("Retry-After is the minimum delay, in seconds or as a date", async () => {
  const at = new Date(Date.now() + 3_600_000).toUTCString();
  server.script(problem(503, {}, "7"), problem(503, {}, at), created);
  await create({ deadlineMs: 7_200_000 });
  expect(delays[0]).toBeGreaterThanOrEqual(7_000);
  expect(delays[1]).toBeGreaterThan(3_000_000);
});

test("the delays of retries grow and vary", async () => {
  const delaysOf = async () => {
    delays.length = 0;
    server.script(refuse, refuse, refuse, refuse, refuse, created);
    await create();
    return [...delays];
  };
  const [first, second] = [await delaysOf(), await delaysOf()];
  for (const [at, delay] of first.entries()) {
    expect(delay).toBeGreaterThanOrEqual(100 * 2 ** at);
    expect(delay).toBeLessThanOrEqual(200 * 2 ** at);
  }
  expect(first).not.toEqual(second);
});

test("failures are retried five times, and the last one is thrown", async () => {
  server.script(...Array.from({ length: 9 }, (_, at) => problem(500, { code: `failure_${at}` })));
  expect(await failureOf(create())).toMatchObject({ code: "failure_5", retryable: true });
  expect(server.received).toHaveLength(6);
});

test("a Retry-After beyond the deadline fails at once", async () => {
  server.script(problem(429, { code: "rate_limited" }, "60"), created);
  expect(await failureOf(create({ deadlineMs: 5_000 }))).toMatchObject({
    code: "rate_limited",
    retryAfterMs: 60_000,
  });
  expect(server.received).toHaveLength(1);
  expect(delays).toEqual([]);
});

test("a stalled attempt leaves time for another", async () => {
  server.script(stall, created);
  expect(await create({ deadlineMs: 3_000 })).toEqual({ id: "exc_1" });
  expect(server.received).toHaveLength(2);
});

test("a call without a response ends at its deadline", async () => {
  server.script(...Array.from({ length: 9 }, () => stall));
  expect(await failureOf(create({ deadlineMs: 300 }))).toMatchObject({ code: "timeout" });
});

test("a call can have no deadline", async () => {
  server.script(created);
  expect(await create({ deadlineMs: Number.POSITIVE_INFINITY })).toEqual({ id: "exc_1" });
});

test("the wait of a long poll is added to the deadline", async () => {
  const page = { items: [], next_cursor: null, resume_cursor: "1" };
  server.script(async (response) => {
    await new Promise((resolve) => setTimeout(resolve, 700));
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(page));
  });
  const list = tieout.events.list({ wait: 20 }, { deadlineMs: 600 });
  expect(await list.page()).toEqual(page);
  expect(server.received).toHaveLength(1);
});

test("polling waits as long as the API asks for", async () => {
  const page = { items: [{ id: "evt_1" }], next_cursor: null, resume_cursor: "1" };
  server.script(problem(429, { code: "rate_limited" }, "120"), json(200, page));
  for await (const _ of tieout.events.poll()) break;
  expect(delays[0]).toBeGreaterThanOrEqual(120_000);
});

test("a signal aborts a call with the signal's reason", async () => {
  const controller = new AbortController();
  const reason = new Error("Enough.");
  server.script(() => controller.abort(reason), created);
  expect(await failureOf(create({ signal: controller.signal }))).toBe(reason);
  expect(server.received).toHaveLength(1);
  expect(await failureOf(create({ signal: controller.signal }))).toBe(reason);
  expect(server.received).toHaveLength(1);
});

test("an error carries the problem's fields, including codes and reasons of later versions", async () => {
  const errors = [{ path: "severity", message: "Unknown." }];
  server.script(problem(409, { code: "new_code", reason: "new_reason", errors }));
  const error = await failureOf(create());
  expect(error).toBeInstanceOf(TieoutError);
  expect(error).toMatchObject({
    message: "No.",
    code: "new_code",
    reason: "new_reason",
    requestId: "req_9",
    errors,
    status: 409,
  });
});

test("a redirect is an error, and the credential is not sent on", async () => {
  server.script((response) => response.writeHead(302, { location: "/elsewhere" }).end(), created);
  expect(await failureOf(create())).toMatchObject({ code: "unexpected_response", status: 302 });
  expect(server.received).toHaveLength(1);
});

test("a proxy's page with status 200 is an error, and is not requested again", async () => {
  server.script((response) => response.end("<html>Sign in</html>"), created);
  expect(await failureOf(create())).toMatchObject({
    code: "unexpected_response",
    status: 200,
    retryable: false,
  });
  expect(server.received).toHaveLength(1);
});

test.each([
  ["key", { key: undefined }],
  ["key", { key: "" }],
  ["tenant", { tenant: undefined }],
  ["baseUrl", { baseUrl: undefined }],
  ["baseUrl", { baseUrl: "localhost:3000" }],
])("a client without its %s throws before any call: %o", (name, missing) => {
  const options = { key: "id.secret", tenant: "acme", baseUrl: server.url, ...missing };
  expect(() => new Tieout(options as never)).toThrow(new RegExp(`^The ${name} is`));
});

test("a failed connection names the address", async () => {
  server.script(...Array.from({ length: 6 }, () => refuse));
  expect((await failureOf(create())).message).toBe(`The connection to ${server.url}/ failed.`);
});

test("a logged client doesn't contain its credential", () => {
  expect(inspect(tieout, { depth: 9, showHidden: true })).not.toContain("id.secret");
});

test("a call without its token ends at its deadline, or when its signal aborts", async () => {
  server.script();
  const token = () => new Promise<string>(() => {});
  tieout = new Tieout({ token, tenant: "acme", baseUrl: server.url, deadlineMs: 100 });
  expect(await failureOf(create())).toMatchObject({ code: "timeout", retryable: true });
  const reason = new Error("The user left.");
  const signal = AbortSignal.timeout(30);
  expect((await failureOf(create({ signal, deadlineMs: 60_000 }))).name).toBe("TimeoutError");
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 30);
  expect(await failureOf(create({ signal: controller.signal, deadlineMs: 60_000 }))).toBe(reason);
  expect(server.received).toHaveLength(0);
});

test("a failure to get a token is passed through, and nothing is sent", async () => {
  server.script(created);
  const failure = new Error("The identity provider is down.");
  const token = async () => Promise.reject(failure);
  tieout = new Tieout({ token, tenant: "acme", baseUrl: server.url });
  expect(await failureOf(create())).toBe(failure);
  expect(server.received).toHaveLength(0);
});

test("the token is requested before each attempt", async () => {
  let count = 0;
  const token = async () => `token-${++count}`;
  tieout = new Tieout({ token, tenant: "acme", baseUrl: server.url });
  server.script(problem(500), created);
  await create();
  expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer token-1",
    "Bearer token-2",
  ]);
});

test("withResponse returns the request ID, the ETag and the rate limits", async () => {
  const headers = {
    etag: '"1"',
    ratelimit: '"calls";r=1199;t=60',
    "idempotency-replayed": "true",
  };
  server.script(json(201, { id: "exc_1", severity: "of a later version" }, headers));
  expect(await create().withResponse()).toMatchObject({
    data: { id: "exc_1", severity: "of a later version" },
    status: 201,
    requestId: "req_1",
    etag: '"1"',
    replayed: true,
    rateLimit: { remaining: 1199, resetSeconds: 60 },
  });
});

test("a call has the methods of a promise", async () => {
  server.script(problem(404), created);
  expect(await create().catch(() => "caught")).toBe("caught");
  const ended = vi.fn();
  await create().finally(ended);
  expect(ended).toHaveBeenCalledOnce();
});

test("an empty response with another status than 204 is an error", async () => {
  server.script((response) => response.writeHead(200).end());
  expect(await failureOf(create())).toMatchObject({ code: "unexpected_response", status: 200 });
});

test("a response of 204 has no data", async () => {
  server.script((response) => response.writeHead(204).end());
  expect(await tieout.exceptions.update("exc_1", { severity: "low" })).toBeUndefined();
});

test("paths are encoded, lists are joined, and an ID can't be left out", async () => {
  server.script(json(200, { items: [], next_cursor: null }), json(200, {}));
  await tieout.exceptions.list({ severity: ["high", "low"], q: "a b" }).page();
  await tieout.exceptions.get("a/b?");
  expect(server.received.map(({ url }) => url)).toEqual([
    "/v1/exceptions?severity=high%2Clow&q=a+b",
    "/v1/exceptions/a%2Fb%3F",
  ]);
  expect(() => tieout.exceptions.get("")).toThrow("The id is missing.");
});

test("the number of a statement goes into the path", async () => {
  server.script(json(200, {}));
  await tieout.reconciliations.getSignedStatement("rcn_1", 2);
  expect(server.received.map(({ url }) => url)).toEqual(["/v1/reconciliations/rcn_1/statements/2"]);
});

test("a list iterates over all pages with the same query, and retries failed pages", async () => {
  server.script(
    json(200, { items: [{ id: "a" }, { id: "b" }], next_cursor: "2" }),
    refuse,
    json(200, { items: [{ id: "c" }], next_cursor: null }),
  );
  const ids: string[] = [];
  for await (const { id } of tieout.exceptions.list({ limit: 2 })) ids.push(id);
  expect(ids).toEqual(["a", "b", "c"]);
  expect(server.received.map(({ url }) => url)).toEqual([
    "/v1/exceptions?limit=2",
    "/v1/exceptions?limit=2&cursor=2",
    "/v1/exceptions?limit=2&cursor=2",
  ]);
});

test("a list requests no more pages once its loop is left", async () => {
  server.script(json(200, { items: [{ id: "a" }], next_cursor: "2" }));
  for await (const _ of tieout.exceptions.list()) break;
  expect(server.received).toHaveLength(1);
});
