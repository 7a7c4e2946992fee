import { SignJWT } from "jose";
import { LRUCache } from "lru-cache";
import type { Claims } from "../db/claims.ts";
import { INTERNAL_ISSUER } from "../runtime/auth-config.ts";
import { env } from "../runtime/env.ts";
import { singleton } from "../runtime/singleton.ts";

const LIFETIME_SECONDS = 60;
/** The rest of its life is for the call that it is sent with. */
const USED_MS = 30_000;

const tokens = () =>
  singleton(
    "internal-tokens",
    () => new LRUCache<string, Promise<string>>({ max: 1_000, ttl: USED_MS }),
  );

/** The token of a database client over HTTP: these claims for a minute at most. */
export function signInternalToken(claims: Claims): Promise<string> {
  const payload = JSON.stringify(claims);
  const known = tokens().get(payload);
  if (known) return known;
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
