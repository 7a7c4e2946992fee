import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { request } from "undici";
import { expect, test } from "vitest";
import { api, stack } from "#e2e/fixtures.ts";
import { publishedDocument } from "#lib/openapi/published.ts";

const url = `${stack.url}/v1/openapi.json`;
const text = JSON.stringify(publishedDocument(stack.url));

test("the OpenAPI document is compressed as requested, and always has the same bytes", async () => {
  for (const [accepted, encoding, read] of [
    ["br, gzip", "br", brotliDecompressSync],
    ["br;q=0.2, gzip;q=0.9", "gzip", gunzipSync],
    ["gzip;q=0, identity", undefined, (bytes: Buffer) => bytes],
  ] as const) {
    const answers = await Promise.all(
      [0, 1].map(() => request(url, { headers: { "accept-encoding": accepted } })),
    );
    const [first, second] = await Promise.all(
      answers.map(async ({ body }) => Buffer.from(await body.arrayBuffer())),
    );
    expect(answers[0]?.headers["content-encoding"]).toBe(encoding);
    expect(answers[0]?.headers.vary).toContain("Accept-Encoding");
    expect(first?.equals(second as Buffer)).toBe(true);
    expect(read(first as Buffer).toString()).toBe(text);
  }
});

test("the document has at most 600 kB", () => {
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(600_000);
});

test("a client that has it already receives 304", async () => {
  const first = await api("GET", "/v1/openapi.json");
  const etag = first.headers.get("etag") ?? "";
  expect([etag, first.headers.get("cache-control")]).toEqual([
    expect.stringMatching(/^"[\w-]{16}"$/),
    "public, max-age=300",
  ]);
  const again = await api("GET", "/v1/openapi.json", { headers: { "If-None-Match": etag } });
  expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
  expect(
    (await api("GET", "/v1/openapi.json", { headers: { "If-None-Match": '"other"' } })).status,
  ).toBe(200);
});

test("it can only be read", async () => {
  const head = await fetch(url, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  const posted = await api("POST", "/v1/openapi.json", { body: {} });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
});

test("it has the headers of every response", async () => {
  const [document, me] = [await api("GET", "/v1/openapi.json"), await api("GET", "/v1/me")];
  for (const name of [
    "x-content-type-options",
    "x-frame-options",
    "referrer-policy",
    "strict-transport-security",
    "content-security-policy",
  ])
    expect([name, document.headers.get(name)]).toEqual([name, me.headers.get(name) ?? "none"]);
});
