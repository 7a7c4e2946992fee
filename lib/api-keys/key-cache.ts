import { LRUCache } from "lru-cache";
import { z } from "zod";
import { serviceDb } from "../db/client.ts";
import { unwrap } from "../db/unwrap.ts";
import { singleton } from "../runtime/singleton.ts";
import { time } from "../wire/schema.ts";

const row = z.object({
  id: z.string(),
  lineage_id: z.string(),
  tenant_id: z.string(),
  name: z.string(),
  secret_digest: z.string(),
  scopes: z.array(z.string()),
  ip_allowlist: z.array(z.string()),
  expires_at: time.nullable(),
  grace_expires_at: time.nullable(),
  revoked: z.boolean(),
  now: time,
});

/** A key as this process read it, and when, by `performance.now()`. */
export type CachedApiKey = z.output<typeof row> & { readAt: number };

/**
 * A revocation by another process takes effect within a second, so cached keys are used for at most
 * 900 ms.
 */
export const CACHE_MS = 900;
/** Longer than any lookup takes: the Data API answers within 15 s. */
const CHANGE_TTL_MS = 60_000;

const { cachedKeys, changedAt } = singleton("api-keys", () => ({
  cachedKeys: new LRUCache<string, CachedApiKey>({
    max: 10_000,
    ttl: CACHE_MS,
    ttlResolution: 0,
    async fetchMethod(keyId, _stale, { options }) {
      const found = await lookUp(keyId);
      if (found) options.ttl = Math.max(1, CACHE_MS - (performance.now() - found.readAt));
      return found;
    },
  }),
  /** When this process last changed a key, by its record ID. */
  changedAt: new LRUCache<string, number>({ max: 10_000, ttl: CHANGE_TTL_MS }),
}));

/**
 * Finds a key by its ID: one round trip if it is not cached. Unknown IDs are never cached. @throws
 * ApiError `unavailable` if the database doesn't answer
 */
export async function findApiKey(keyId: string): Promise<CachedApiKey | undefined> {
  for (let forceRefresh = false; ; forceRefresh = true) {
    const found = await cachedKeys.fetch(keyId, { forceRefresh });
    if (isCurrent(found)) return found;
  }
}

/** Finds a key without the cache. */
export async function readApiKey(keyId: string): Promise<CachedApiKey | undefined> {
  for (;;) {
    const found = await lookUp(keyId);
    if (isCurrent(found)) return found;
  }
}

/**
 * Ignores every cached or running read of a key that began before now, so that a change by this
 * process takes effect at once.
 */
export function forgetApiKey(id: string): void {
  changedAt.set(id, performance.now());
}

function isCurrent(found: CachedApiKey | undefined): boolean {
  return !found || found.readAt > (changedAt.get(found.id) ?? Number.NEGATIVE_INFINITY);
}

async function lookUp(keyId: string): Promise<CachedApiKey | undefined> {
  const readAt = performance.now();
  const found = unwrap(
    await serviceDb("a credential is verified before its tenant is known").rpc("find_api_key", {
      key_id: keyId,
    }),
  );
  return found ? { ...row.parse(found), readAt } : undefined;
}
