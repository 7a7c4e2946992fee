import { SignJWT } from "jose";
import { LRUCache } from "lru-cache";
import type { Claims } from "../db/claims.ts";
import { INTERNAL_ISSUER } from "../runtime/auth-config.ts";
import { env } from "../runtime/env.ts";
import { singleton } from "../runtime/singleton.ts";

const LIFETIME_SECONDS = 60;
/** A token is reused for 30 s; the other 30 s of its lifetime are for the call it is sent with. */
const REUSE_MS = 30_000;

const tokens = () =>
  singleton(
    "internal-tokens",
    () => new LRUCache<string, Promise<string>>({ max: 1_000, ttl: REUSE_MS }),
  );

/** The token of a database client over HTTP, valid for at most a minute. */
export function signInternalToken(claims: Claims): Promise<string> {
  const payload = JSON.stringify(claims);
  const cached = tokens().get(payload);
  if (cached) return cached;
  const token = sign(claims);
  tokens().set(payload, token);
  return token;
}

function sign(claims: Claims): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer(INTERNAL_ISSUER)
    .setExpirationTime(`${LIFETIME_SECONDS}s`)
    .sign(new TextEncoder().encode(env().SUPABASE_JWT_SECRET));
}
