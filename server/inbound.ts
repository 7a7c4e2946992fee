import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { ApiError } from "#lib/errors.ts";
import { clientAddress } from "./client-address.ts";

export const MALFORMED = new ApiError("invalid_request", "The request isn't well-formed HTTP.");

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Between us and the application, or between Next's own parts: no caller may set them. */
const RESERVED = /^(x-tieout-|x-middleware-|x-invoke-|x-nextjs-data$|x-matched-path$|x-now-route-matches$|x-next-resume|next-resume$)/;
const SET_BY_PROXIES = ["forwarded", "x-forwarded-host", "x-forwarded-port", "x-forwarded-proto", "x-real-ip"];

export type Inbound = { requestId: string; address: string };

export function newRequestId(): string {
  return `req_${randomUUID().replaceAll("-", "")}`;
}

/** Settles what the application may believe of a request: who sent it, its id, and one meaning for each header. */
export function settleInbound(request: IncomingMessage, proxies: number): Inbound {
  const { headers } = request;
  const requestId = newRequestId();
  const address = clientAddress(request.socket.remoteAddress ?? "", headers["x-forwarded-for"]?.toString(), proxies);
  for (const name of Object.keys(headers)) if (RESERVED.test(name)) delete headers[name];
  if (proxies === 0) for (const name of SET_BY_PROXIES) delete headers[name];
  // Node keeps the first of two; joined, they are the malformed credential that they are.
  const credentials = request.headersDistinct.authorization;
  if (credentials) headers.authorization = credentials.join(", ");
  headers["x-forwarded-for"] = address;
  headers["x-tieout-client-address"] = address;
  headers["x-request-id"] = requestId;
  return { requestId, address };
}

/** Where something is changed; everything else is read, and no body of up to any size is taken in for it. */
const CHANGED = /^\/(?:v1|api)(?:\/|$)/;
const READING = new Set(["GET", "HEAD", "OPTIONS"]);

/** @throws ApiError for a request that the application must not see. `dev`: Next's own tools send more. */
export function requireSound({ method = "", url = "", headers, httpVersion }: IncomingMessage, dev: boolean): void {
  if (!METHODS.has(method))
    throw new ApiError("method_not_allowed", `Unsupported method: ${method}.`, { headers: { Allow: [...METHODS].join(", ") } });
  if (!headers.host && httpVersion === "1.1") throw MALFORMED;
  if (!url.startsWith("/") || !decodesToText(pathOf(url))) throw MALFORMED;
  if (!dev && !READING.has(method) && !CHANGED.test(pathOf(url)))
    throw new ApiError("method_not_allowed", "This path only supports reading.", { headers: { Allow: [...READING].join(", ") } });
}

function decodesToText(path: string): boolean {
  try {
    return !decodeURIComponent(path).includes("\0");
  } catch {
    return false;
  }
}

export function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? "";
}
