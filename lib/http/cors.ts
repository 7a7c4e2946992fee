import type { Contract } from "../wire/contract.ts";

const EXPOSED = "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id";
const TAKEN = "Authorization, Content-Type, If-None-Match, X-Tenant-Id";
const PREFLIGHT_SECONDS = 86_400;

/** What the publishable key may call, pages of any origin may call: no cookie counts for them, and the answer is for anybody who has the key. */
export function allowsAnyOrigin({ access }: Pick<Contract, "access">): boolean {
  return access.publishable;
}

export function openToBrowsers(headers: Headers): Headers {
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Expose-Headers", EXPOSED);
  return headers;
}

/** Before a call of another origin's page, the browser asks for leave: for this method, once a day. */
export function preflight(headers: Headers, method: string): Headers {
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Allow-Methods", method);
  headers.set("Access-Control-Allow-Headers", TAKEN);
  headers.set("Access-Control-Max-Age", String(PREFLIGHT_SECONDS));
  return headers;
}
