import type { Contract } from "../wire/contract.ts";

const EXPOSED = "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id";
const TAKEN = "Authorization, Content-Type, If-None-Match, X-Tenant-Id";
const PREFLIGHT_SECONDS = 86_400;

/** Pages of any origin can call what the publishable key can call: cookies are ignored, and the response is public to anyone with the key. */
export function allowsAnyOrigin({ access }: Pick<Contract, "access">): boolean {
  return access.publishable;
}

export function openToBrowsers(headers: Headers): Headers {
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Expose-Headers", EXPOSED);
  return headers;
}

/** The preflight of a call from another origin: for this method, cached for a day. */
export function preflight(headers: Headers, method: string): Headers {
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Allow-Methods", method);
  headers.set("Access-Control-Allow-Headers", TAKEN);
  headers.set("Access-Control-Max-Age", String(PREFLIGHT_SECONDS));
  return headers;
}
