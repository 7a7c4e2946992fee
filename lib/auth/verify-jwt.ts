import { decodeJwt, decodeProtectedHeader, importSPKI, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { env } from "../runtime/env.ts";
import { ApiError } from "../wire/errors.ts";
import { type Identity, membershipsOf, nameOf, subjectOf } from "./principal.ts";
import { KeysUnavailable, remoteKeys } from "./remote-keys.ts";

/** The issuer of the tokens that the server signs for its own database client. No credential may carry it. */
export const INTERNAL_ISSUER = "tieout-internal";

/** One source of trust: its own key and its own fixed algorithms. `kid` only selects within a JWKS. */
type TrustAnchor = {
  algorithms: string[];
  key: Uint8Array | CryptoKey | JWTVerifyGetKey;
  issuer?: string;
  audience?: string;
};

let anchors: Promise<TrustAnchor[]> | undefined;

/**
 * The identity a JWT proves, or null where no trust anchor vouches for it. Nothing in the token is fetched or obeyed.
 * @throws ApiError `unavailable` where the keys it may be signed with were never seen.
 */
export async function verifyJwt(token: string): Promise<Identity | null> {
  const claims = await verifiedClaims(token);
  const subject = claims && subjectOf(claims);
  if (!subject || claims.iss === INTERNAL_ISSUER) return null;
  return { type: "user", id: subject, name: nameOf(claims, subject), memberships: membershipsOf(claims) };
}

async function verifiedClaims(token: string): Promise<JWTPayload | null> {
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
      return payload;
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

async function trustAnchors(): Promise<TrustAnchor[]> {
  const { AUTH_JWT_SECRET, AUTH_JWT_JWKS_URL, AUTH_JWT_PUBLIC_KEY, AUTH_JWT_ISSUER, AUTH_JWT_AUDIENCE, ...supabase } = env();
  const expected = { issuer: AUTH_JWT_ISSUER, audience: AUTH_JWT_AUDIENCE };
  const supabaseAuth = { issuer: `${supabase.SUPABASE_URL.replace(/\/$/, "")}/auth/v1`, audience: "authenticated" };
  const found: TrustAnchor[] = [];
  if (AUTH_JWT_SECRET) {
    found.push({ algorithms: ["HS256"], key: new TextEncoder().encode(AUTH_JWT_SECRET), ...expected });
  }
  if (AUTH_JWT_JWKS_URL) {
    found.push({ algorithms: ["RS256"], key: remoteKeys(new URL(AUTH_JWT_JWKS_URL)), ...expected });
  }
  if (AUTH_JWT_PUBLIC_KEY) {
    found.push({ algorithms: ["RS256"], key: await importSPKI(AUTH_JWT_PUBLIC_KEY.replaceAll("\\n", "\n"), "RS256"), ...expected });
  }
  found.push({ algorithms: ["HS256"], key: new TextEncoder().encode(supabase.SUPABASE_JWT_SECRET), ...supabaseAuth });
  found.push({
    algorithms: ["ES256", "RS256"],
    key: remoteKeys(new URL(`${supabaseAuth.issuer}/.well-known/jwks.json`)),
    ...supabaseAuth,
  });
  return found;
}
