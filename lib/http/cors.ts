import type { Contract } from "../wire/contract.ts";

const EXPOSED_HEADERS =
  "ETag, Idempotency-Replayed, Location, RateLimit, RateLimit-Policy, Retry-After, " +
  "WWW-Authenticate, X-Request-Id";
const ALLOWED_HEADERS = "Authorization, Content-Type, If-None-Match, X-Tenant-Id";
const PREFLIGHT_SECONDS = 86_400;

/**
 * Pages of any origin can make the calls that the publishable key allows: cookies are ignored, and
 * anyone with the key can read the response anyway.
 */
export function allowsAnyOrigin({ access }: Pick<Contract, "access">): boolean {
  return access.publishable;
}

export function openToBrowsers(headers: Headers): Headers {
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Expose-Headers", EXPOSED_HEADERS);
  return headers;
}

/** Answers the preflight of a cross-origin call with this method; browsers cache it for a day. */
export function preflight(headers: Headers, method: string): Headers {
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Allow-Methods", method);
  headers.set("Access-Control-Allow-Headers", ALLOWED_HEADERS);
  headers.set("Access-Control-Max-Age", String(PREFLIGHT_SECONDS));
  return headers;
}
