import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Hono } from "hono";
import { Webhook } from "standardwebhooks";
import { expect, test, vi } from "vitest";
import {
  type Delivery,
  expressWebhook,
  fastifyWebhook,
  honoWebhook,
  nextWebhook,
  sign,
  unwrap,
} from "../src/index.ts";

const SECRET = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
const OTHER = "a plain secret";
const BODY = JSON.stringify({ type: "exception.created", timestamp: "t", data: { a: "ä" } });
const refused = { code: "invalid_signature" };

test("a delivery signed by the reference implementation is unwrapped", async () => {
  const at = new Date();
  const headers = {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(SECRET).sign("evt_1", at, BODY),
  };
  const expected = { ...JSON.parse(BODY), id: "evt_1" };
  expect(await unwrap(BODY, headers, SECRET)).toEqual(expected);
  expect(await unwrap(Buffer.from(BODY), new Headers(headers), SECRET)).toEqual(expected);
});

test("the reference implementation accepts what the signer signs", async () => {
  expect(new Webhook(SECRET).verify(BODY, await sign(BODY, SECRET))).toEqual(JSON.parse(BODY));
});

test("while a secret is rotated, either fits", async () => {
  const headers = await sign(BODY, OTHER);
  expect(await unwrap(BODY, headers, [SECRET, OTHER])).toMatchObject({ id: "evt_test" });
  const signature = `${(await sign(BODY, SECRET))["webhook-signature"]} ${headers["webhook-signature"]}`;
  expect(await unwrap(BODY, { ...headers, "webhook-signature": signature }, SECRET)).toMatchObject({
    type: "exception.created",
  });
});

test("a type of a later version is passed through", async () => {
  const body = '{"type":"of a later version","data":{}}';
  expect(await unwrap(body, await sign(body, SECRET), SECRET)).toMatchObject({
    type: "of a later version",
  });
});

test.each([
  ["another body", `${BODY} `, {}],
  ["another ID", BODY, { "webhook-id": "evt_2" }],
  ["no signature", BODY, { "webhook-signature": undefined }],
  ["a signature that is no base64", BODY, { "webhook-signature": "v1,*" }],
  ["a signature of another version", BODY, { "webhook-signature": "v1a,AAAA" }],
  ["no timestamp", BODY, { "webhook-timestamp": undefined }],
  ["a timestamp that is no number", BODY, { "webhook-timestamp": "now" }],
])("%s is refused", async (_name, body, changed) => {
  const headers = { ...(await sign(BODY, SECRET)), ...changed };
  await expect(unwrap(body, headers, SECRET)).rejects.toMatchObject(refused);
});

test.each([-301, 301])("a delivery %i seconds off is refused", async (seconds) => {
  const at = new Date(Date.now() + seconds * 1000);
  await expect(unwrap(BODY, await sign(BODY, SECRET, { at }), SECRET)).rejects.toMatchObject(
    refused,
  );
});

test.each([
  ["", []],
  ["whsec_", ["whsec_*"]],
])("an empty secret fits nothing", async (secret, more) => {
  const headers = await sign(BODY, SECRET);
  for (const one of [secret, ...more])
    await expect(unwrap(BODY, headers, one)).rejects.toMatchObject(refused);
  await expect(unwrap(BODY, headers, [])).rejects.toMatchObject(refused);
});

const stored = vi.fn<(delivery: Delivery) => void>();

async function expectReceiver(post: (headers: Record<string, string>) => Promise<number>) {
  stored.mockReset();
  const headers = await sign(BODY, SECRET, { id: "evt_7" });
  expect(await post(headers)).toBe(204);
  expect(stored).toHaveBeenCalledExactlyOnceWith({ ...JSON.parse(BODY), id: "evt_7" });
  expect(await post({ ...headers, "webhook-id": "evt_8" })).toBe(401);
  expect(stored).toHaveBeenCalledOnce();
}

test("a route of Next receives", async () => {
  const POST = nextWebhook(SECRET, stored);
  await expectReceiver(async (headers) => {
    const request = new Request("http://x/", { method: "POST", body: BODY, headers });
    return (await POST(request)).status;
  });
});

test("Hono receives", async () => {
  const app = new Hono().post("/tieout", honoWebhook(SECRET, stored));
  await expectReceiver(async (headers) => {
    const response = await app.request("/tieout", { method: "POST", body: BODY, headers });
    return response.status;
  });
});

test("a handler that fails is not answered with success", async () => {
  const POST = nextWebhook(SECRET, () => Promise.reject(new Error("The disk is full.")));
  const headers = await sign(BODY, SECRET);
  const request = new Request("http://x/", { method: "POST", body: BODY, headers });
  await expect(POST(request)).rejects.toThrow("The disk is full.");
});

test.each([false, true])("Express receives, with a raw body that was read: %s", async (isRead) => {
  const receive = expressWebhook(SECRET, stored);
  const server = createServer(async (request, response) => {
    const body = isRead ? Buffer.concat(await request.toArray()) : undefined;
    await receive(Object.assign(request, { body }), response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expectReceiver(
    async (headers) => (await fetch(url, { method: "POST", body: BODY, headers })).status,
  );
  server.close();
});

test("Fastify receives the raw bytes of JSON", async () => {
  type App = Parameters<ReturnType<typeof fastifyWebhook>>[0];
  type Parse = Parameters<App["addContentTypeParser"]>[2];
  type Handle = Parameters<App["post"]>[1];
  let [parse, handle]: [Parse?, Handle?] = [];
  await fastifyWebhook(
    "/tieout",
    SECRET,
    stored,
  )({
    addContentTypeParser: (_type, _options, given) => (parse = given),
    post: (_path, given) => (handle = given),
  });
  await expectReceiver(async (headers) => {
    let status = 0;
    const body = await new Promise<Uint8Array>((done) =>
      parse?.(null, Buffer.from(BODY), (_, bytes) => done(bytes)),
    );
    const reply = { code: (code: number) => ({ send: () => (status = code) }) };
    await handle?.({ headers, body }, reply);
    return status;
  });
});
