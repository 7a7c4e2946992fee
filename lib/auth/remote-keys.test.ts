import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from "jose";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { KeysUnavailable, remoteKeys } from "./remote-keys.ts";

const PATIENT = { timeout: 60_000 };

const { privateKey, publicKey } = await generateKeyPair("RS256");
const published = JSON.stringify({
  keys: [{ ...(await exportJWK(publicKey)), kid: "one", alg: "RS256" }],
});
const page = { status: 200, body: published, asked: 0 };
const server = createServer((_request, response) => {
  page.asked++;
  response
    .writeHead(page.status, { "Content-Type": "application/json", Location: "/elsewhere" })
    .end(page.body);
}).listen(0, "127.0.0.1");
await once(server, "listening");
const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`);

afterAll(() => server.close());
beforeEach(() => Object.assign(page, { status: 200, body: published, asked: 0 }));

const token = (kid: string) =>
  new SignJWT({ sub: "ada" })
    .setProtectedHeader({ alg: "RS256", kid })
    .setExpirationTime("1m")
    .sign(privateKey);
const verify = async (keys: ReturnType<typeof remoteKeys>, kid = "one") =>
  (await jwtVerify(await token(kid), keys)).payload.sub;

const OUTAGES: [string, Partial<typeof page>][] = [
  ["an error", { status: 503 }],
  ["a redirect", { status: 302 }],
  ["a page that is no JSON", { body: "<html>" }],
  ["JSON that is no key set", { body: '{"keys":7}' }],
];

describe.each(OUTAGES)("while the JWKS URL answers with %s", (_what, outage) => {
  test("it is requested once for many tokens, and the error is not a refusal", async () => {
    Object.assign(page, outage);
    const keys = remoteKeys(url);
    for (let index = 0; index < 10; index++)
      await expect(verify(keys, `kid-${index}`)).rejects.toThrow(KeysUnavailable);
    await expect(Promise.all([verify(keys), verify(keys)])).rejects.toThrow(KeysUnavailable);
    expect(page.asked).toBe(1);
  });

  test("known keys stay valid, and new ones are loaded once it recovers", async () => {
    const keys = remoteKeys(url, { freshMs: 0, againAfterMs: 20, believedMs: 60_000 });
    expect(await verify(keys)).toBe("ada");
    Object.assign(page, outage);
    await vi.waitFor(async () => {
      expect(await verify(keys)).toBe("ada");
      expect(page.asked).toBeGreaterThan(2);
    }, PATIENT);
    page.status = 200;
    page.body = published.replace('"one"', '"two"');
    await vi.waitFor(async () => expect(await verify(keys, "two")).toBe("ada"), PATIENT);
    await expect(verify(keys, "one")).rejects.toThrow("no applicable key");
  });
});

test("keys expire after a long outage", async () => {
  const keys = remoteKeys(url, { freshMs: 0, againAfterMs: 0, believedMs: 100 });
  expect(await verify(keys)).toBe("ada");
  page.status = 500;
  await vi.waitFor(async () => expect(verify(keys)).rejects.toThrow(KeysUnavailable), PATIENT);
});

test("fresh keys are loaded once, and unknown ones at a limited rate", async () => {
  const keys = remoteKeys(url);
  await Promise.all(Array.from({ length: 20 }, () => verify(keys)));
  for (let index = 0; index < 20; index++)
    await expect(verify(keys, `kid-${index}`)).rejects.toThrow("no applicable key");
  expect(page.asked).toBe(2);
});

test("a key that was published just after the keys were loaded works at once", async () => {
  const keys = remoteKeys(url);
  expect(await verify(keys, "one")).toBe("ada");
  page.body = published.replace('"one"', '"two"');
  const tokens = await Promise.all([verify(keys, "two"), verify(keys, "two")]);
  expect([tokens, page.asked]).toEqual([["ada", "ada"], 2]);
});
