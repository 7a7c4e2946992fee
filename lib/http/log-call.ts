import { actorOf, type Identity } from "../auth/principal.ts";
import { storable } from "../db/storable-text.ts";
import { maskedRequest, maskedResponse, NOTHING_KEPT } from "../request-log/mask-messages.ts";
import { type Call, requestLog } from "../request-log/request-log.ts";
import { log } from "../runtime/log.ts";
import { maskSecrets } from "../runtime/mask-secrets.ts";
import type { Contract } from "../wire/contract.ts";
import type { ErrorCode } from "../wire/errors.ts";
import type { Caller } from "./audit.ts";

const PATH_MAX = 1024;
const UNVERIFIED_PATH_MAX = 200;
const QUERY_MAX = 2048;
const RESOURCE_MAX = 200;
const BODY_READ_MAX = 64 * 1024;

/** A call that was answered, for the request log. What our own pages read or preview is not in it unless it failed, as they ask every few seconds. */
export function logCall(contract: Contract, caller: Caller, response: Response): void {
  keep(() => callOf(contract, caller, response));
}

function callOf(contract: Contract, caller: Caller, response: Response): Call | null {
  const { request, requestId, identity, principal, params, address, exchange } = caller;
  const key = identity?.type === "api_key" ? identity.key : null;
  const credential = credentialOf(identity);
  if (
    credential === "session" &&
    response.status < 400 &&
    (contract.method === "GET" || exchange.previews)
  )
    return null;
  const isProblem = exchange.errorCode !== null;
  const hasBody = response.body !== null;
  return {
    id: requestId,
    tenant_id: (principal && caller.tenantId) ?? key?.tenantId ?? null,
    key_id: namedKey(request.headers),
    operation: contract.operationId,
    ...target(request, identity !== undefined),
    resource: resourceOf(contract, params) ?? exchange.made,
    status: response.status,
    error_code: exchange.errorCode,
    refused: !exchange.admitted,
    duration_ms: Math.round(performance.now() - exchange.startedAt),
    credential,
    actor: identity ? whoIs(identity) : null,
    api_key_id: key?.id ?? null,
    address,
    request: identity
      ? maskedRequest(contract, { headers: request.headers, ...sized(exchange.sent) })
      : NOTHING_KEPT,
    response: maskedResponse(
      contract,
      { headers: response.headers, ...sized(hasBody ? exchange.answered : "") },
      isProblem,
    ),
  };
}

/**
 * What no operation answered: a path or method that is none of the API's. `identity`: whose call it
 * was, where it had an API key whose secret was verified.
 */
export function logRefusal(
  { request, requestId, identity }: Pick<Caller, "request" | "requestId" | "identity">,
  code: ErrorCode,
  body: string | null,
  response: Response,
): void {
  const key = identity?.type === "api_key" ? identity.key : null;
  keep(() => ({
    id: requestId,
    tenant_id: key?.tenantId ?? null,
    key_id: namedKey(request.headers),
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
    address: request.headers.get("x-tieout-client-address"),
    request: key
      ? maskedRequest(null, { headers: request.headers, body: null, bytes: null })
      : NOTHING_KEPT,
    response: maskedResponse(null, { headers: response.headers, ...sized(body) }, true),
  }));
}

/** A failure to log never fails the call. */
function keep(make: () => Call | null): void {
  try {
    const call = make();
    if (call) requestLog().add(call);
  } catch (error) {
    requestLog().figures.dropped++;
    log.error({ err: error }, "call not logged");
  }
}

/** An unverified call keeps a short path and no query: its sender must not fill another's log. */
function target(
  { method, url, headers }: Request,
  isVerified: boolean,
): Pick<Call, "method" | "path" | "query"> {
  const path = headers.get("x-tieout-path") ?? new URL(url).pathname;
  const query = isVerified ? (headers.get("x-tieout-query") ?? "") : "";
  return {
    method,
    path: maskSecrets(path).slice(0, isVerified ? PATH_MAX : UNVERIFIED_PATH_MAX),
    query: maskSecrets(query).slice(0, QUERY_MAX),
  };
}

/** The public part of an API key, whatever follows it: whose call it was, if not who made it. */
export function namedKey(headers: Headers): string | null {
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
  if (identity.type === "user") return actorOf(identity);
  return identity.type === "api_key"
    ? actorOf({ type: "api_key", id: identity.key.id, name: "" })
    : identity.type;
}

/** The innermost ID in the path. */
function resourceOf({ tenantParam }: Contract, params: Record<string, string>): string | null {
  const ids = Object.entries(params).flatMap(([name, value]) =>
    name === tenantParam ? [] : [value],
  );
  const innermost = ids.at(-1);
  return innermost === undefined ? null : storable(maskSecrets(innermost).slice(0, RESOURCE_MAX));
}

/** Of a large body only the beginning is looked at. */
function sized(body: Buffer | string | null): { body: string | null; bytes: number | null } {
  if (body === null) return { body: null, bytes: null };
  if (typeof body === "string")
    return { body: body.slice(0, BODY_READ_MAX), bytes: Buffer.byteLength(body) };
  return { body: body.toString("utf8", 0, BODY_READ_MAX), bytes: body.length };
}
