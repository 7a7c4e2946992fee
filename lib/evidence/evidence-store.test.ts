import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Context } from "../request/context.ts";
import { currentStore, storeOf } from "./evidence-store.ts";

const BUCKET = "evidence";
const FILE = `/storage/v1/object/${BUCKET}/acme/evd_1`;
const ctx = { tenantId: "acme" } as Context;

/** The files of the server that stands in for Supabase Storage, by URL. */
const files = new Map<string, Buffer>();
const seen: string[] = [];
let storage: Server;
let isDown = false;

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await request.toArray());
}

beforeAll(async () => {
  storage = createServer(async (request, response) => {
    const { method, url = "", headers } = request;
    seen.push(`${method} ${url} ${headers.authorization}`);
    const body = await bodyOf(request);
    const json = (status: number, value: object) =>
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
    if (isDown) return json(503, { statusCode: "503", error: "Unavailable", message: "down" });
    if (method === "POST") {
      files.set(url, body);
      return json(200, { Id: "1", Key: url });
    }
    if (method === "DELETE") {
      for (const path of (JSON.parse(body.toString()) as { prefixes: string[] }).prefixes)
        files.delete(`${url}/${path}`);
      return json(200, []);
    }
    const found = files.get(url);
    if (!found) return json(404, { statusCode: "404", error: "not_found", message: "none" });
    return response.writeHead(200, { "Content-Type": "application/octet-stream" }).end(found);
  }).listen(0, "127.0.0.1");
  await once(storage, "listening");
  const address = `http://127.0.0.1:${(storage.address() as AddressInfo).port}`;
  const key = Buffer.alloc(32, 1).toString("base64");
  for (const [name, value] of Object.entries({
    SUPABASE_URL: address,
    SUPABASE_PUBLISHABLE_KEY: "publishable",
    SUPABASE_SECRET_KEY: "secret",
    SUPABASE_JWT_SECRET: key,
    ENCRYPTION_KEYS: key,
    AUDIT_PUBLIC_KEYS: key,
    NEXTAUTH_SECRET: key,
    NEXTAUTH_URL: address,
    EVIDENCE_BUCKET: BUCKET,
  }))
    vi.stubEnv(name, value);
});
afterAll(() => {
  vi.unstubAllEnvs();
  storage.close();
});

async function contentOf(id: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of storeOf(BUCKET).read(ctx, id, 0)) parts.push(part);
  return Buffer.concat(parts);
}

test("a bucket stores, returns and removes a file under its tenant", async () => {
  const content = Buffer.from(Array.from({ length: 200_000 }, (_, n) => n % 251));
  expect(await currentStore().store(ctx, "evd_1", content)).toEqual({ bucket: BUCKET });
  expect(seen[0]).toBe(`POST ${FILE} Bearer secret`);
  expect(await contentOf("evd_1")).toEqual(content);
  await storeOf(BUCKET).remove(ctx, "evd_1");
  expect([...files.keys()]).toEqual([]);
});

test("a call fails as unavailable if the bucket doesn't answer", async () => {
  isDown = true;
  const failure = { code: "unavailable" };
  await expect(currentStore().store(ctx, "evd_2", Buffer.from("x"))).rejects.toMatchObject(failure);
  await expect(contentOf("evd_2")).rejects.toMatchObject(failure);
  await expect(storeOf(BUCKET).remove(ctx, "evd_2")).rejects.toMatchObject(failure);
});

test("content for the database is sent whole, in base64", async () => {
  expect(await storeOf(null).store(ctx, "evd_3", Buffer.from("x"))).toEqual({ content: "eA==" });
});
