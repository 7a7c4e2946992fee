import { actorOf, type Identity } from "../auth/principal.ts";
import { storable } from "../db/storable.ts";
import { maskedRequest, maskedResponse, withoutCredentials } from "../request-log/masked.ts";
import { type Call, requestLog } from "../request-log/request-log.ts";
import { log } from "../runtime/log.ts";
import type { Contract } from "../wire/contract.ts";
import type { ErrorCode } from "../wire/errors.ts";
import type { Caller } from "./on-record.ts";

const PATH_MOST = 1024;
const QUERY_MOST = 2048;
const RESOURCE_MOST = 200;
const LOOKED_AT_MOST = 64 * 1024;

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
    ...target(request),
    resource: resourceOf(contract, params) ?? exchange.made,
    status: response.status,
    error_code: exchange.errorCode,
    refused: !exchange.admitted,
    duration_ms: Math.round(performance.now() - exchange.startedAt),
    credential,
    actor: identity ? whoIs(identity) : null,
    api_key_id: key?.id ?? null,
    address,
    request: maskedRequest(contract, { headers: request.headers, ...sized(exchange.sent) }),
    response: maskedResponse(
      contract,
      { headers: response.headers, ...sized(hasBody ? exchange.answered : "") },
      isProblem,
    ),
  };
}

/** What no operation answered: a path or method that is none of the API's. */
export function logRefusal(
  request: Request,
  requestId: string,
  code: ErrorCode,
  body: string | null,
  response: Response,
): void {
  keep(() => ({
    id: requestId,
    tenant_id: null,
    key_id: namedKey(request.headers),
    operation: null,
    ...target(request),
    resource: null,
    status: response.status,
    error_code: code,
    refused: false,
    duration_ms: 0,
    credential: "api_key",
    actor: null,
    api_key_id: null,
    address: request.headers.get("x-tieout-client-address"),
    request: maskedRequest(null, { headers: request.headers, body: null, bytes: null }),
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

function target({ method, url, headers }: Request): Pick<Call, "method" | "path" | "query"> {
  const path = url.replace(/^https?:\/\/[^/]*/, "").split("?", 1)[0] ?? "";
  return {
    method,
    path: withoutCredentials(path.slice(0, PATH_MOST)),
    query: withoutCredentials((headers.get("x-tieout-query") ?? "").slice(0, QUERY_MOST)),
  };
}

/** The public part of an API key, whatever follows it: whose call it was, if not who made it. */
function namedKey(headers: Headers): string | null {
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
  return innermost === undefined ? null : storable(innermost.slice(0, RESOURCE_MOST));
}

/** Of a large body only the beginning is looked at. */
function sized(body: Buffer | string | null): { body: string | null; bytes: number | null } {
  if (body === null) return { body: null, bytes: null };
  if (typeof body === "string")
    return { body: body.slice(0, LOOKED_AT_MOST), bytes: Buffer.byteLength(body) };
  return { body: body.toString("utf8", 0, LOOKED_AT_MOST), bytes: body.length };
}
