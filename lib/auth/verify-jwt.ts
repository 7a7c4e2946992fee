import { hash } from "node:crypto";
import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import { LRUCache } from "lru-cache";
import { INTERNAL_ISSUER, oidcProviders } from "../runtime/auth-config.ts";
import { env } from "../runtime/env.ts";
import { singleton } from "../runtime/singleton.ts";
import { ApiError } from "../wire/errors.ts";
import { assuranceOf, isShortLived, issuerOf, membershipsOf, nameOf, subjectOf } from "./claims.ts";
import type { UserIdentity } from "./principal.ts";
import { KeysUnavailable } from "./remote-keys.ts";
import { currentMemberships } from "./session-user.ts";
import { moreSpecific, type RefusalReason, reasonOf, TokenRefused } from "./token-refused.ts";
import { supabaseIssuer, type TrustAnchor, trustAnchors } from "./trust-anchors.ts";
import { unauthenticated } from "./unauthenticated.ts";

type Verified = { claims: JWTPayload; anchor: TrustAnchor };

/** The tolerance for `exp`, `nbf` and `iat`, because issuers' clocks differ from ours. */
const LEEWAY_SECONDS = 60;
/**
 * How long a verified signature is cached. The token can't change, and its expiry is checked at
 * every call.
 */
const CACHE_MS = 10_000;
const verifiedTokens = () =>
  singleton(
    "verified-tokens",
    () => new LRUCache<string, Verified>({ max: 10_000, ttl: CACHE_MS, ttlResolution: 0 }),
  );

let anchors: Promise<TrustAnchor[]> | undefined;

/**
 * The identity that a JWT proves. No URL or key in the token is followed. Null for a deleted or
 * banned account.
 *
 * @throws TokenRefused if no trust anchor accepts it
 *
 * @throws ApiError `unauthenticated` if a valid signature is not enough; `unavailable` if the keys
 * it may be signed with were never loaded
 */
export async function verifyJwt(token: string): Promise<UserIdentity | null> {
  const verified = await cachedClaims(token);
  const subject = subjectOf(verified.claims);
  const issuer = issuerOf(verified.claims);
  const about = { issuer: verified.claims.iss };
  if (!subject) throw new TokenRefused("subject", about);
  if (issuer === null || !mayNameIssuer(verified)) throw new TokenRefused("issuer", about);
  const { claims, anchor } = verified;
  requireSoundLife(claims, about);
  requireAssurance(claims);
  const memberships = anchor.ofSupabase
    ? await currentMemberships(subject)
    : membershipsOf(claims, anchor.claims, anchor.tenants);
  return (
    memberships && {
      type: "user",
      issuer,
      id: subject,
      name: nameOf(claims, subject),
      memberships,
      sessionId: null,
    }
  );
}

/**
 * A key without a configured issuer may sign for any issuer except those that have their own keys,
 * whose subjects are other people.
 */
function mayNameIssuer({ claims: { iss }, anchor }: Verified): boolean {
  if (iss === INTERNAL_ISSUER) return false;
  if (anchor.issuer !== undefined || iss === undefined) return true;
  return iss !== supabaseIssuer() && !oidcProviders().some(({ issuer }) => issuer === iss);
}

function requireSoundLife(claims: JWTPayload, about: { issuer: string | undefined }): void {
  const seconds = env().AUTH_JWT_MAX_AGE_SECONDS;
  if (isShortLived(seconds, claims)) return;
  throw new TokenRefused(
    "lifetime",
    about,
    `A token can be valid for at most ${seconds} s. Request one that expires sooner.`,
  );
}

function requireAssurance(claims: JWTPayload): void {
  const { AUTH_REQUIRED_AAL } = env();
  if (AUTH_REQUIRED_AAL !== "aal2" || assuranceOf(claims) === "aal2") return;
  throw unauthenticated(
    "This token was issued without a second factor. Sign in with one and send the new token.",
    ', error="insufficient_user_authentication", acr_values="aal2"',
  );
}

async function cachedClaims(token: string): Promise<Verified> {
  const digest = hash("sha256", token, "base64");
  const cached = verifiedTokens().get(digest);
  if (cached && (cached.claims.exp ?? 0) > Date.now() / 1000) return cached;
  const verified = await verifiedClaims(token);
  verifiedTokens().set(digest, verified);
  return verified;
}

/**
 * @throws TokenRefused with the most specific reason of all anchors that the token could belong to.
 */
async function verifiedClaims(token: string): Promise<Verified> {
  let header: ReturnType<typeof decodeProtectedHeader>;
  let issuer: string | undefined;
  try {
    header = decodeProtectedHeader(token);
    issuer = decodeJwt(token).iss;
  } catch {
    throw new TokenRefused("malformed", {});
  }
  const about = { issuer, kid: header.kid, algorithm: header.alg };
  anchors ??= trustAnchors();
  let keysUnavailable: KeysUnavailable | undefined;
  let reason: RefusalReason = "algorithm";
  for (const anchor of await anchors) {
    if (!header.alg || !anchor.algorithms.includes(header.alg)) continue;
    if (anchor.issuer !== undefined && anchor.issuer !== issuer) {
      reason = moreSpecific(reason, "issuer");
      continue;
    }
    try {
      return { claims: await claimsBy(anchor, token), anchor };
    } catch (error) {
      if (error instanceof KeysUnavailable) keysUnavailable = error;
      else reason = moreSpecific(reason, reasonOf(error));
    }
  }
  if (keysUnavailable) throw unavailable(keysUnavailable);
  throw new TokenRefused(reason, about);
}

/** Tries each key if several fit, because `kid` is optional (RFC 7515, 4.1.4). */
async function claimsBy(anchor: TrustAnchor, token: string): Promise<JWTPayload> {
  const options = {
    algorithms: anchor.algorithms,
    requiredClaims: ["exp"],
    issuer: anchor.issuer,
    audience: anchor.audience,
    clockTolerance: LEEWAY_SECONDS,
  };
  try {
    return (await jwtVerify(token, anchor.key as JWTVerifyGetKey, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let lastError: unknown = error;
    for await (const key of error) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (failure) {
        lastError = failure;
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw lastError;
  }
}

function unavailable(cause: KeysUnavailable): ApiError {
  const detail = "The identity provider's keys are unavailable right now. Try again shortly.";
  return new ApiError("unavailable", detail, { headers: { "Retry-After": "30" }, cause });
}
