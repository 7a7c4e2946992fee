import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { sign, unwrap } from "../src/index.ts";

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

test("the reference implementation accepts our signatures", async () => {
  expect(new Webhook(SECRET).verify(BODY, await sign(BODY, SECRET))).toEqual(JSON.parse(BODY));
});

test("a secret may be base64 for URLs, as the API accepts it", async () => {
  const bytes = Buffer.from("fb_ff-fb_ff-fb_ff-fb_ff-fb_ff-fb", "base64url");
  const headers = await sign(BODY, `whsec_${bytes.toString("base64")}`);
  const forUrls = `whsec_${bytes.toString("base64url")}`;
  expect(forUrls).toMatch(/[-_]/);
  expect(await unwrap(BODY, headers, forUrls)).toMatchObject({ id: "evt_test" });
});

test("bytes that aren't UTF-8 are refused", async () => {
  const body = Buffer.from('{"a":"\xff"}', "latin1");
  const headers = await sign(body, OTHER);
  const signed = `evt_test.${headers["webhook-timestamp"]}.`;
  const hash = createHmac("sha256", OTHER).update(signed).update(body).digest("base64");
  const sent = unwrap(body, { ...headers, "webhook-signature": `v1,${hash}` }, OTHER);
  await expect(sent).rejects.toMatchObject(refused);
});

test("during a rotation, both secrets verify", async () => {
  const headers = await sign(BODY, OTHER);
  expect(await unwrap(BODY, headers, [SECRET, OTHER])).toMatchObject({ id: "evt_test" });
  const signature = `${(await sign(BODY, SECRET))["webhook-signature"]} ${headers["webhook-signature"]}`;
  expect(await unwrap(BODY, { ...headers, "webhook-signature": signature }, SECRET)).toMatchObject({
    type: "exception.created",
  });
});

test("a secret that isn't set doesn't prevent another from matching", async () => {
  const headers = await sign(BODY, SECRET);
  expect(await unwrap(BODY, headers, ["", SECRET])).toMatchObject({ id: "evt_test" });
  await expect(unwrap(BODY, headers, ["", ""])).rejects.toMatchObject(refused);
});

test("header names may have any case", async () => {
  const headers = Object.entries(await sign(BODY, SECRET));
  const capital = headers.map(([name, value]) => [name.replace("webhook-", "Webhook-"), value]);
  expect(await unwrap(BODY, Object.fromEntries(capital), SECRET)).toMatchObject({
    id: "evt_test",
  });
});

test("a body that was already parsed is named as the cause", async () => {
  const headers = await sign(BODY, SECRET);
  await expect(unwrap(JSON.parse(BODY), headers, SECRET)).rejects.toThrow(
    "Pass the raw body: this one was parsed.",
  );
});

test("an event type of a later version is passed through", async () => {
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
])("an empty secret verifies nothing", async (secret, more) => {
  const headers = await sign(BODY, SECRET);
  for (const one of [secret, ...more])
    await expect(unwrap(BODY, headers, one)).rejects.toMatchObject(refused);
  await expect(unwrap(BODY, headers, [])).rejects.toMatchObject(refused);
});
