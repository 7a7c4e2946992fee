import { hash } from "node:crypto";
import {
  decodeJwt,
  decodeProtectedHeader,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from "jose";
import { LRUCache } from "lru-cache";
import { env } from "../runtime/env.ts";
import { processWide } from "../runtime/process-wide.ts";
import { INTERNAL_ISSUER, oidcProviders } from "../runtime/trust.ts";
import { ApiError } from "../wire/errors.ts";
import { assuranceOf, issuerOf, livesAtMost, membershipsOf, nameOf, subjectOf } from "./claims.ts";
import type { UserIdentity } from "./principal.ts";
import { KeysUnavailable } from "./remote-keys.ts";
import { currentMemberships } from "./session-user.ts";
import { supabaseIssuer, type TrustAnchor, trustAnchors } from "./trust-anchors.ts";
import { unauthenticated } from "./unauthenticated.ts";

type Verified = { claims: JWTPayload; anchor: TrustAnchor };

/** How long a signature that was good is not checked again: what it signs cannot change, and its end is looked at each time. */
const BELIEVED_MS = 10_000;
const believed = () =>
  processWide(
    "verified-tokens",
    () => new LRUCache<string, Verified>({ max: 10_000, ttl: BELIEVED_MS, ttlResolution: 0 }),
  );

let anchors: Promise<TrustAnchor[]> | undefined;

/**
 * The identity a JWT proves, or null where no trust anchor vouches for it. Nothing in the token is fetched or obeyed.
 * @throws ApiError `unauthenticated` with its reason where a good signature is not enough; `unavailable` where the keys it may be signed
 * with were never seen.
 */
export async function verifyJwt(token: string): Promise<UserIdentity | null> {
  const verified = await believedClaims(token);
  const subject = verified && subjectOf(verified.claims);
  const issuer = verified && issuerOf(verified.claims);
  if (!verified || !subject || issuer === null || !mayNameIssuer(verified)) return null;
  const { claims, anchor } = verified;
  requireSoundLife(claims);
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

/** A key without an issuer of its own may speak for any but those who have their own keys: their subjects are other people. */
function mayNameIssuer({ claims: { iss }, anchor }: Verified): boolean {
  if (iss === INTERNAL_ISSUER) return false;
  if (anchor.issuer !== undefined || iss === undefined) return true;
  return iss !== supabaseIssuer() && !oidcProviders().some(({ issuer }) => issuer === iss);
}

function requireSoundLife(claims: JWTPayload): void {
  const seconds = env().AUTH_JWT_MAX_AGE_SECONDS;
  if (livesAtMost(seconds, claims)) return;
  throw unauthenticated(
    `A token can be valid for at most ${seconds} s and must not be issued in the future. Request one that expires sooner.`,
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

async function believedClaims(token: string): Promise<Verified | null> {
  const digest = hash("sha256", token, "base64");
  const known = believed().get(digest);
  if (known && (known.claims.exp ?? 0) > Date.now() / 1000) return known;
  const verified = await verifiedClaims(token);
  if (verified) believed().set(digest, verified);
  return verified;
}

async function verifiedClaims(token: string): Promise<Verified | null> {
  let algorithm: string | undefined;
  let issuer: string | undefined;
  try {
    algorithm = decodeProtectedHeader(token).alg;
    issuer = decodeJwt(token).iss;
  } catch {
    return null;
  }
  anchors ??= trustAnchors();
  let unanswered: KeysUnavailable | undefined;
  for (const anchor of await anchors) {
    if (!algorithm || !anchor.algorithms.includes(algorithm)) continue;
    if (anchor.issuer !== undefined && anchor.issuer !== issuer) continue;
    try {
      const { payload } = await jwtVerify(token, anchor.key as JWTVerifyGetKey, {
        algorithms: anchor.algorithms,
        requiredClaims: ["exp"],
        issuer: anchor.issuer,
        audience: anchor.audience,
      });
      return { claims: payload, anchor };
    } catch (error) {
      // Anything else: not this anchor's token.
      if (error instanceof KeysUnavailable) unanswered = error;
    }
  }
  if (unanswered) throw unavailable(unanswered);
  return null;
}

function unavailable(cause: KeysUnavailable): ApiError {
  const detail = "The identity provider's keys are unavailable right now. Try again shortly.";
  return new ApiError("unavailable", detail, { headers: { "Retry-After": "30" }, cause });
}
