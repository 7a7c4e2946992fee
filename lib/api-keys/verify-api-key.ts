import { timingSafeEqual } from "node:crypto";
import type { VerifiedApiKey } from "../auth/principal.ts";
import type { Scope } from "../wire/access.ts";
import { type ApiKeyCredential, digestOf } from "./credential-format.ts";
import { type CachedApiKey, findApiKey, readApiKey } from "./key-cache.ts";

const NO_DIGEST = "0".repeat(64);

/**
 * The key that a credential proves, even if it is revoked or expired. Null for an unknown ID and
 * for a wrong secret. Both cost one database query: a mismatch is never decided from the cache.
 * @throws ApiError `unavailable`
 */
export async function verifyApiKey({
  keyId,
  secret,
}: ApiKeyCredential): Promise<VerifiedApiKey | null> {
  const digest = digestOf(secret);
  const startedAt = performance.now();
  const found = await findApiKey(keyId);
  const isRemembered = found !== undefined && found.readAt < startedAt;
  const key =
    isRemembered && !matches(digest, found.secret_digest) ? await readApiKey(keyId) : found;
  if (!matches(digest, key?.secret_digest ?? NO_DIGEST) || !key) return null;
  return {
    id: key.id,
    lineageId: key.lineage_id,
    tenantId: key.tenant_id,
    name: key.name,
    scopes: key.scopes as Scope[],
    ipAllowlist: key.ip_allowlist,
    standing: standingOf(key),
  };
}

function matches(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(left, "hex"), Buffer.from(right, "hex"));
}

/** Computed with the database's clock: its time at the read, plus the milliseconds since then. */
function standingOf({
  revoked,
  expires_at,
  grace_expires_at,
  now,
  readAt,
}: CachedApiKey): VerifiedApiKey["standing"] {
  const databaseNow = Date.parse(now) + performance.now() - readAt;
  const passed = (moment: string | null) => moment !== null && Date.parse(moment) <= databaseNow;
  if (revoked || passed(grace_expires_at)) return "revoked";
  if (passed(expires_at)) return "expired";
  return grace_expires_at === null ? "active" : "in_grace";
}
