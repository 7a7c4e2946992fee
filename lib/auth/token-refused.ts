import { errors } from "jose";

/**
 * Ordered from the least to the most specific: of several trust anchors, the reason of the closest
 * match is reported.
 */
const REASONS = {
  malformed: "The token is not a JWT.",
  algorithm: "The token is signed with an algorithm that is not accepted.",
  issuer: "The token's issuer (iss) is not accepted.",
  unknown_key: "The token names a key (kid) that its issuer doesn't publish.",
  signature: "The token's signature doesn't verify.",
  audience: "The token is for another audience (aud).",
  missing_exp: "The token has no expiry (exp).",
  not_yet_valid: "The token is not valid yet (nbf).",
  claims: "A claim of the token is not valid.",
  subject: "The token has no subject (sub).",
  lifetime: "The token's lifetime is too long, or it was issued in the future (exp, iat).",
  expired: "The token has expired (exp).",
} as const;

export type RefusalReason = keyof typeof REASONS;

/** What the token claims about itself, unverified, for the server's log. */
type Claimed = { issuer?: unknown; kid?: unknown; algorithm?: unknown };
type About = { issuer?: string; kid?: string; algorithm?: string };

const ADVICE = "Request a new one from your identity provider.";

/** A JWT that is not accepted, with the reason and what the caller can do. */
export class TokenRefused extends Error {
  readonly reason: RefusalReason;
  readonly about: About;
  readonly advice: string;

  constructor(reason: RefusalReason, claimed: Claimed, advice = ADVICE) {
    super(REASONS[reason]);
    this.reason = reason;
    this.advice = advice;
    this.about = Object.fromEntries(
      Object.entries(claimed).filter(([, value]) => typeof value === "string"),
    );
  }

  /**
   * Whether the signature was valid. Then the caller holds one of our tokens and may learn the
   * reason in the body.
   */
  get isGenuine(): boolean {
    return RANKS.indexOf(this.reason) > RANKS.indexOf("signature");
  }
}

const RANKS = Object.keys(REASONS);

export function moreSpecific(a: RefusalReason, b: RefusalReason): RefusalReason {
  return RANKS.indexOf(b) > RANKS.indexOf(a) ? b : a;
}

/** Maps jose's error to our reason. */
export function reasonOf(error: unknown): RefusalReason {
  if (error instanceof errors.JWTExpired) return "expired";
  if (error instanceof errors.JWKSNoMatchingKey) return "unknown_key";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "signature";
  if (!(error instanceof errors.JWTClaimValidationFailed)) return "malformed";
  if (error.claim === "exp") return error.reason === "missing" ? "missing_exp" : "expired";
  if (error.claim === "nbf") return "not_yet_valid";
  if (error.claim === "iss") return "issuer";
  return error.claim === "aud" ? "audience" : "claims";
}
