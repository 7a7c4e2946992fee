import { existsSync } from "node:fs";
import { join } from "node:path";
import { api, createTenant, userToken } from "#e2e/fixtures.ts";
import { parseCredential } from "#lib/api-keys/credential-format.ts";
import { CACHE_MS } from "#lib/api-keys/key-cache.ts";
import { verifyApiKey } from "#lib/api-keys/verify-api-key.ts";
import { ROOT, run } from "../../bin/setup.mjs";
import { stackEnvironment } from "../../supervisor/stack-file.ts";
import { rates, type Side } from "./rates.ts";
import { ratioOf, type Section } from "./report.ts";

const PEERS = join(ROOT, "bench/peers");
const TENANTS = 160;
/**
 * Keys per tenant. One round over all keys takes longer than a key is cached, so each has expired
 * when its turn comes.
 */
const KEYS_PER_TENANT = 100;
/** The number of connections that a web process has for such calls. */
const CONNECTIONS = 4;
const MIN_RATIO = 3;

type Verifier = {
  keys: string[];
  verify: (key: string) => Promise<unknown>;
  stop: () => Promise<void>;
};

/**
 * Verifies keys in one process, without HTTP: the same key again and again, and a different key
 * each time.
 */
export async function verification(): Promise<Section> {
  const [ours, theirs] = [await ourKeys(), await peerKeys()];
  try {
    const findings = [];
    for (const [what, choose] of [
      ["a key that was just verified", () => 0],
      ["a key that was not", (turn: number) => turn],
    ] as const) {
      const [service, peer] = await rates([
        sideOf("service", ours, choose),
        sideOf("@better-auth/api-key 1.7.5", theirs, choose),
      ]);
      if (service && peer) findings.push(ratioOf(what, service, peer, MIN_RATIO));
    }
    return {
      title: "3. Verification of a key",
      how:
        "16 at once in one process that calls its function without HTTP, on " +
        `${CONNECTIONS} connections to the same Postgres, of ${TENANTS * KEYS_PER_TENANT} ` +
        "keys. The peer's limits of rate, which write on each verification, " +
        "are off; it has no other memory than its database.",
      findings,
    };
  } finally {
    await theirs.stop();
  }
}

/** @throws Error if there are too few keys for each to expire before its next turn */
function sideOf(name: string, { keys, verify }: Verifier, choose: (turn: number) => number): Side {
  const verifiedAt = new Map<number, number>();
  let turn = 0;
  return {
    name,
    once() {
      const place = choose(turn++) % keys.length;
      const now = performance.now();
      if (place !== 0 && now - (verifiedAt.get(place) ?? Number.NEGATIVE_INFINITY) < CACHE_MS)
        throw new Error(`${keys.length} keys are too few: ${name} still knew one.`);
      verifiedAt.set(place, now);
      return verify(keys[place] ?? "");
    },
  };
}

async function ourKeys(): Promise<Verifier> {
  const keys = await Promise.all(Array.from({ length: TENANTS }, keysOfTenant));
  return {
    keys: keys.flat(),
    async verify(key) {
      const credential = parseCredential(key);
      if (!credential || !(await verifyApiKey(credential)))
        throw new Error("A key was not accepted.");
    },
    stop: async () => {},
  };
}

async function keysOfTenant(): Promise<string[]> {
  const tenant = await createTenant();
  const bearer = await userToken(tenant, ["tenant_admin"]);
  const keys: string[] = [];
  while (keys.length < KEYS_PER_TENANT) {
    const body = { name: `key ${keys.length}`, scopes: ["read:exceptions"] };
    const { status, json, text } = await api("POST", `/v1/tenants/${tenant}/api-keys`, {
      bearer,
      tenant,
      body,
    });
    if (status !== 201) throw new Error(text);
    const { key_id, key_secret } = json as { key_id: string; key_secret: string };
    keys.push(`${key_id}.${key_secret}`);
  }
  return keys;
}

async function peerKeys(): Promise<Verifier> {
  if (!existsSync(join(PEERS, "node_modules")))
    await run("npm", ["ci", "--prefix", PEERS, "--ignore-scripts", "--no-audit", "--no-fund"]);
  const { betterAuthKeys } = await import(join(PEERS, "better-auth.mjs"));
  return betterAuthKeys(stackEnvironment().DATABASE_URL, CONNECTIONS, TENANTS * KEYS_PER_TENANT);
}
