import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { ACCOUNT_CALLS } from "#lib/accounts/contract.ts";
import { ApiError } from "#lib/wire/errors.ts";
import { CLIENT_ADDRESS_HEADER, PATH_HEADER, QUERY_HEADER } from "#lib/wire/inbound-headers.ts";
import { clientAddress } from "./client-address.ts";

export const MALFORMED = new ApiError("invalid_request", "The request isn't well-formed HTTP.");
export const HEADERS_TOO_LARGE = new ApiError(
  "headers_too_large",
  "A request's headers can have at most 16 KiB.",
);

/** RFC 9112 recommends at least 8,000 octets. */
const TARGET_MAX_LENGTH = 8 * 1024;
const HEADERS_MAX_LENGTH = 16 * 1024;

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Headers between us and the application, or within Next, which no caller may set. */
const RESERVED =
  /^(x-inbound-|x-middleware-|x-invoke-|x-nextjs-data$|x-matched-path$|x-now-route-matches$|x-next-resume|next-resume$)/;
const PROXY_HEADERS = [
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

/** Headers that only Next's own pages send. */
const PAGE_HEADERS = /^(?:rsc|next-(?:router-.*|url|action))$/;

/**
 * Establishes what the application can trust about a request: its client address, its ID, and one
 * interpretation of its target and headers.
 */
export function normalizeInbound(request: IncomingMessage, proxies: number): Inbound {
  const { headers } = request;
  const requestId = newRequestId();
  const address = clientAddress(
    request.socket.remoteAddress ?? "",
    headers["x-forwarded-for"]?.toString(),
    proxies,
  );
  for (const name of Object.keys(headers)) if (RESERVED.test(name)) delete headers[name];
  if (proxies === 0) for (const name of PROXY_HEADERS) delete headers[name];
  // Node drops all but the first Authorization header. Joined, several are refused as malformed.
  const credentials = request.headersDistinct.authorization;
  if (credentials) headers.authorization = credentials.join(", ");
  normalizeTarget(request);
  if (API_PATH.test(pathOf(request.url ?? "")))
    for (const name of Object.keys(headers)) if (PAGE_HEADERS.test(name)) delete headers[name];
  headers["x-forwarded-for"] = address;
  headers[CLIENT_ADDRESS_HEADER] = address;
  // The query as sent: for paths with parameters, Next rewrites it and changes invalid UTF-8.
  headers[PATH_HEADER] = pathOf(request.url ?? "");
  headers[QUERY_HEADER] = queryOf(request.url ?? "");
  headers["x-request-id"] = requestId;
  return { requestId, address };
}

/** Reduces an absolute target (RFC 9112, 3.2.2) to its path; its host overrides the Host header. */
function normalizeTarget(request: IncomingMessage): void {
  const absolute = /^https?:\/\/([^/?#@]+)(.*)$/is.exec(request.url ?? "");
  if (!absolute) return;
  const [, host = "", rest = ""] = absolute;
  request.headers.host = host;
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
}

const API_PATH = /^\/v1(?:\/|$)/;
/**
 * Paths that accept changes. Other paths are read-only, so no request body is accepted for them.
 */
const WRITABLE = /^\/(?:v1|api)(?:\/|$)/;
/**
 * Paths that look like an API. If they aren't ours they are refused, because they have no page and
 * no sign-in.
 */
const LIKE_API = /^\/(?:v\d+|api)(?:\/|$)/i;
const KNOWN_API = new RegExp(
  `^/(?:v1(?:/|$)|api/auth/.|api/account/(?:${Object.keys(ACCOUNT_CALLS).join("|")})$)`,
);
/**
 * Clients resolve dot segments before sending. Resolving one here would turn a checked path into
 * another.
 */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;
/** A name or address with an optional port. Anything else would change the URL of the request. */
const HOST = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const READ_METHODS = ["GET", "HEAD", "OPTIONS"];

/**
 * @throws ApiError for a request that the application must not see. With `dev`, Next's development
 * tools are allowed more.
 */
export function requireValid(request: IncomingMessage, dev: boolean): void {
  const { method = "", url = "", headers, headersDistinct, rawHeaders, httpVersion } = request;
  const path = pathOf(url);
  if (!METHODS.includes(method))
    throw new ApiError("method_not_allowed", `Unsupported method: ${method}.`, {
      headers: { Allow: METHODS.join(", ") },
    });
  if (url.length > TARGET_MAX_LENGTH)
    throw new ApiError("uri_too_long", `A URL can have at most ${TARGET_MAX_LENGTH} characters.`);
  if (rawHeaders.reduce((sum, part) => sum + part.length, 0) > HEADERS_MAX_LENGTH)
    throw HEADERS_TOO_LARGE;
  if ((!headers.host && httpVersion === "1.1") || (headersDistinct.host?.length ?? 0) > 1)
    throw MALFORMED;
  if (headers.host && !HOST.test(headers.host)) throw MALFORMED;
  if (!/^\/[\x21-\x7e]*$/.test(url) || !decodesToText(path) || DOT_SEGMENT.test(path))
    throw MALFORMED;
  // Next would redirect these to another path, which clients follow without their credentials.
  if (API_PATH.test(path) && /\/\/|\/$/.test(path))
    throw new ApiError("not_found", "A path has no empty segments and no slash at its end.");
  if (LIKE_API.test(path) && !KNOWN_API.test(path))
    throw new ApiError("not_found", "No such path. The API's paths start with /v1: see /docs.");
  if (!dev && !READ_METHODS.includes(method) && !WRITABLE.test(path))
    throw new ApiError("method_not_allowed", "This path only supports reading.", {
      headers: { Allow: READ_METHODS.join(", ") },
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
