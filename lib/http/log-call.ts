import { actorOf, type Identity } from "../auth/principal.ts";
import { toStorableText } from "../db/storable-text.ts";
import { EMPTY_MESSAGE, maskedRequest, maskedResponse } from "../request-log/mask-messages.ts";
import { type Call, requestLog } from "../request-log/request-log.ts";
import { log } from "../runtime/log.ts";
import { maskSecrets } from "../runtime/mask-secrets.ts";
import type { Contract } from "../wire/contract.ts";
import type { ErrorCode } from "../wire/errors.ts";
import { CLIENT_ADDRESS_HEADER, PATH_HEADER, QUERY_HEADER } from "../wire/inbound-headers.ts";
import type { Caller } from "./audit.ts";

const PATH_MAX = 1024;
const UNVERIFIED_PATH_MAX = 200;
const QUERY_MAX = 2048;
const RESOURCE_MAX = 200;
const BODY_READ_MAX = 64 * 1024;

/**
 * Adds an answered call to the request log. Reads and previews of our own pages are left out unless
 * they failed, because the pages repeat them every few seconds.
 */
export function logCall(contract: Contract, caller: Caller, response: Response): void {
  logSafely(() => callOf(contract, caller, response));
}

function callOf(contract: Contract, caller: Caller, response: Response): Call | null {
  const { request, requestId, identity, principal, params, address, exchange } = caller;
  const key = identity?.type === "api_key" ? identity.key : null;
  const credential = credentialOf(identity);
  if (
    credential === "session" &&
    response.status < 400 &&
    (contract.method === "GET" || exchange.isPreview)
  )
    return null;
  const isProblem = exchange.errorCode !== null;
  const hasBody = response.body !== null;
  return {
    id: requestId,
    tenant_id: (principal && caller.tenantId) ?? key?.tenantId ?? null,
    key_id: claimedKeyId(request.headers),
    operation: contract.operationId,
    ...target(request, identity !== undefined),
    resource: resourceOf(contract, params) ?? exchange.createdId,
    status: response.status,
    error_code: exchange.errorCode,
    refused: !exchange.isAuthorized,
    duration_ms: Math.round(performance.now() - exchange.startedAt - exchange.waited.ms),
    credential,
    actor: identity ? whoIs(identity) : null,
    api_key_id: key?.id ?? null,
    address,
    request: identity
      ? maskedRequest(contract, { headers: request.headers, ...sized(exchange.requestBody) })
      : EMPTY_MESSAGE,
    response: maskedResponse(
      contract,
      { headers: response.headers, ...sized(hasBody ? exchange.responseBody : "") },
      isProblem,
    ),
  };
}

/**
 * Logs a request that no operation answered: an unknown path or method. `identity` is the caller's,
 * if the request had a verified API key.
 */
export function logRefusal(
  { request, requestId, identity }: Pick<Caller, "request" | "requestId" | "identity">,
  code: ErrorCode,
  body: string | null,
  response: Response,
): void {
  const key = identity?.type === "api_key" ? identity.key : null;
  logSafely(() => ({
    id: requestId,
    tenant_id: key?.tenantId ?? null,
    key_id: claimedKeyId(request.headers),
    operation: null,
    ...target(request, key !== null),
    resource: null,
    status: response.status,
    error_code: code,
    refused: false,
    duration_ms: 0,
    credential: "api_key",
    actor: identity && key ? whoIs(identity) : null,
    api_key_id: key?.id ?? null,
    address: request.headers.get(CLIENT_ADDRESS_HEADER),
    request: key
      ? maskedRequest(null, { headers: request.headers, body: null, bytes: null })
      : EMPTY_MESSAGE,
    response: maskedResponse(null, { headers: response.headers, ...sized(body) }, true),
  }));
}

/** Catches every error: a failure to log must not fail the call. */
function logSafely(buildCall: () => Call | null): void {
  try {
    const call = buildCall();
    if (call) requestLog().add(call);
  } catch (error) {
    requestLog().figures.dropped++;
    log.error({ err: error }, "call not logged");
  }
}

/**
 * The log gets only a short path and no query of an unverified call: its sender must not fill
 * another tenant's log.
 */
function target(
  { method, url, headers }: Request,
  isVerified: boolean,
): Pick<Call, "method" | "path" | "query"> {
  const path = headers.get(PATH_HEADER) ?? new URL(url).pathname;
  const query = isVerified ? (headers.get(QUERY_HEADER) ?? "") : "";
  return {
    method,
    path: maskSecrets(path).slice(0, isVerified ? PATH_MAX : UNVERIFIED_PATH_MAX),
    query: maskSecrets(query).slice(0, QUERY_MAX),
  };
}

/**
 * The public part of the API key that a request names, verified or not: it says whose log the call
 * belongs to.
 */
export function claimedKeyId(headers: Headers): string | null {
  return (
    /^Bearer (tk_[0-9A-Za-z]{22})(?![0-9A-Za-z])/i.exec(headers.get("authorization") ?? "")?.[1] ??
    null
  );
}

function credentialOf(identity: Identity | undefined): Call["credential"] {
  if (identity?.type === "user") return identity.sessionId === null ? "token" : "session";
  return identity?.type ?? "api_key";
}

function whoIs(identity: Identity): string {
  switch (identity.type) {
    case "user":
      return actorOf(identity);
    case "api_key":
      return actorOf({ type: "api_key", id: identity.key.id, name: "" });
    case "service_role":
    case "publishable_key":
      return identity.type;
  }
}

/** The innermost ID in the path. */
function resourceOf({ tenantParam }: Contract, params: Record<string, string>): string | null {
  const ids = Object.entries(params).flatMap(([name, value]) =>
    name === tenantParam ? [] : [value],
  );
  const innermost = ids.at(-1);
  return innermost === undefined
    ? null
    : toStorableText(maskSecrets(innermost).slice(0, RESOURCE_MAX));
}

/** Only the first 64 KB of a large body are read. */
function sized(body: Buffer | string | null): { body: string | null; bytes: number | null } {
  if (body === null) return { body: null, bytes: null };
  if (typeof body === "string")
    return { body: body.slice(0, BODY_READ_MAX), bytes: Buffer.byteLength(body) };
  return { body: body.toString("utf8", 0, BODY_READ_MAX), bytes: body.length };
}
