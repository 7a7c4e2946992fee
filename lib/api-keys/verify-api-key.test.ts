import { beforeEach, expect, test, vi } from "vitest";
import { digestOf, mintCredential } from "./credential-format.ts";

const rows = new Map<string, object>();
let lookups = 0;
const rpc = async (_name: string, { key_id }: { key_id: string }) => {
  lookups += 1;
  return { data: rows.get(key_id) ?? null, error: null, status: 200 };
};
vi.mock("../db/client.ts", () => ({ serviceDb: () => ({ rpc }) }));
const { verifyApiKey } = await import("./verify-api-key.ts");

function issue() {
  const minted = mintCredential();
  rows.set(minted.keyId, {
    id: "key_1",
    lineage_id: "key_1",
    tenant_id: "acme",
    name: "Batch",
    secret_digest: digestOf(minted.secret),
    scopes: ["read:exceptions"],
    ip_allowlist: [],
    expires_at: null,
    grace_expires_at: null,
    revoked: false,
    now: new Date().toISOString(),
  });
  return minted;
}

beforeEach(() => {
  lookups = 0;
});

test("an unknown ID costs one database query", async () => {
  expect(await verifyApiKey(mintCredential())).toBeNull();
  expect(lookups).toBe(1);
});

test("a wrong secret of a known ID costs one query, whether or not the key is cached", async () => {
  const { keyId, secret } = issue();
  const wrong = mintCredential().secret;
  expect(await verifyApiKey({ keyId, secret: wrong })).toBeNull();
  expect(lookups).toBe(1);
  expect(await verifyApiKey({ keyId, secret: wrong })).toBeNull();
  expect(lookups).toBe(2);
  expect(await verifyApiKey({ keyId, secret })).toMatchObject({ id: "key_1", standing: "active" });
  expect(lookups).toBe(2);
});

test.each([
  ["is expired", { expires_at: -1 }, "expired"],
  ["has a day left", { expires_at: 86_400_000 }, "active"],
  ["is revoked once its grace period is over", { grace_expires_at: -1 }, "revoked"],
  ["is in its grace period", { grace_expires_at: 86_400_000 }, "in_grace"],
])("a key %s, before a worker records it", async (_, inMs, standing) => {
  const { keyId, secret } = issue();
  const times = Object.entries(inMs).map(([field, ms]) => [
    field,
    new Date(Date.now() + ms).toISOString(),
  ]);
  rows.set(keyId, { ...rows.get(keyId), ...Object.fromEntries(times) });
  expect(await verifyApiKey({ keyId, secret })).toMatchObject({ standing });
});

test("a key is read again if the secret differs from the cached one", async () => {
  const { keyId, secret } = issue();
  expect(await verifyApiKey({ keyId, secret })).toMatchObject({ id: "key_1" });
  const next = mintCredential().secret;
  rows.set(keyId, { ...rows.get(keyId), secret_digest: digestOf(next) });
  expect(await verifyApiKey({ keyId, secret: next })).toMatchObject({ id: "key_1" });
  expect(lookups).toBe(2);
});
