import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { ACCOUNT_CALLS } from "#lib/accounts/contract.ts";
import { ApiError } from "#lib/wire/errors.ts";
import { clientAddress } from "./client-address.ts";

export const MALFORMED = new ApiError("invalid_request", "The request isn't well-formed HTTP.");
export const HEADERS_TOO_LARGE = new ApiError(
  "headers_too_large",
  "A request's headers can have at most 16 KiB.",
);

/** RFC 9112 asks for at least 8,000 octets. */
const TARGET_MAX = 8 * 1024;
const HEADERS_MAX = 16 * 1024;

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Between us and the application, or between Next's own parts: no caller may set them. */
const RESERVED =
  /^(x-tieout-|x-middleware-|x-invoke-|x-nextjs-data$|x-matched-path$|x-now-route-matches$|x-next-resume|next-resume$)/;
const SET_BY_PROXIES = [
  "forwarded",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-real-ip",
];

export type Inbound = { requestId: string; address: string };

export function newRequestId(): string {
  return `req_${randomUUID().replaceAll("-", "")}`;
}

/** What Next's own pages request. */
const PAGE_PARTS = /^(?:rsc|next-(?:router-.*|url|action))$/;

/** Settles what the application can trust about a request: who sent it, its ID, and one meaning of its target and headers. */
export function settleInbound(request: IncomingMessage, proxies: number): Inbound {
  const { headers } = request;
  const requestId = newRequestId();
  const address = clientAddress(
    request.socket.remoteAddress ?? "",
    headers["x-forwarded-for"]?.toString(),
    proxies,
  );
  for (const name of Object.keys(headers)) if (RESERVED.test(name)) delete headers[name];
  if (proxies === 0) for (const name of SET_BY_PROXIES) delete headers[name];
  // Node keeps the first of two; joined, they are the malformed credential that they are.
  const credentials = request.headersDistinct.authorization;
  if (credentials) headers.authorization = credentials.join(", ");
  settleTarget(request);
  if (API.test(pathOf(request.url ?? "")))
    for (const name of Object.keys(headers)) if (PAGE_PARTS.test(name)) delete headers[name];
  headers["x-forwarded-for"] = address;
  headers["x-tieout-client-address"] = address;
  // As sent: on paths with parameters, Next rewrites the query and changes what wasn't UTF-8.
  headers["x-tieout-path"] = pathOf(request.url ?? "");
  headers["x-tieout-query"] = queryOf(request.url ?? "");
  headers["x-request-id"] = requestId;
  return { requestId, address };
}

/** The absolute form (RFC 9112, 3.2.2) stands for its path, and its host wins over the header. */
function settleTarget(request: IncomingMessage): void {
  const absolute = /^https?:\/\/([^/?#@]+)(.*)$/is.exec(request.url ?? "");
  if (!absolute) return;
  const [, host = "", rest = ""] = absolute;
  request.headers.host = host;
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
}

const API = /^\/v1(?:\/|$)/;
/** Where something is changed; everything else is read, and no body of up to any size is taken in for it. */
const CHANGED = /^\/(?:v1|api)(?:\/|$)/;
/** Where an API might be expected, and where it is: elsewhere there's no page and no way to sign in. */
const LIKE_API = /^\/(?:v\d+|api)(?:\/|$)/i;
const OURS = new RegExp(
  `^/(?:v1(?:/|$)|api/auth/.|api/account/(?:${Object.keys(ACCOUNT_CALLS).join("|")})$)`,
);
/** Every client resolves these before it sends: here they would make another path of one that was looked at. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;
/** A name or address with an optional port: anything else would make another URL of the request. */
const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const READING = ["GET", "HEAD", "OPTIONS"];

/** @throws ApiError for a request that the application must not see. `dev`: Next's own tools send more. */
export function requireSound(request: IncomingMessage, dev: boolean): void {
  const { method = "", url = "", headers, headersDistinct, rawHeaders, httpVersion } = request;
  const path = pathOf(url);
  if (!METHODS.includes(method))
    throw new ApiError("method_not_allowed", `Unsupported method: ${method}.`, {
      headers: { Allow: METHODS.join(", ") },
    });
  if (url.length > TARGET_MAX)
    throw new ApiError("uri_too_long", `A URL can have at most ${TARGET_MAX} characters.`);
  if (rawHeaders.reduce((sum, part) => sum + part.length, 0) > HEADERS_MAX) throw HEADERS_TOO_LARGE;
  if ((!headers.host && httpVersion === "1.1") || (headersDistinct.host?.length ?? 0) > 1)
    throw MALFORMED;
  if (headers.host && !HOST.test(headers.host)) throw MALFORMED;
  if (!/^\/[\x21-\x7e]*$/.test(url) || !decodesToText(path) || DOT_SEGMENT.test(path))
    throw MALFORMED;
  if (LIKE_API.test(path) && !OURS.test(path))
    throw new ApiError("not_found", "No such path. The API's paths start with /v1: see /docs.");
  if (!dev && !READING.includes(method) && !CHANGED.test(path))
    throw new ApiError("method_not_allowed", "This path only supports reading.", {
      headers: { Allow: READING.join(", ") },
    });
}

function decodesToText(path: string): boolean {
  try {
    return !decodeURIComponent(path).includes("\0");
  } catch {
    return false;
  }
}

function queryOf(url: string): string {
  return /\?([^#]*)/.exec(url)?.[1] ?? "";
}

export function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? "";
}
