import { actorOf, type Identity, type Principal, personOf } from "../auth/principal.ts";
import { TokenRefused } from "../auth/token-refused.ts";
import type { Contract } from "../wire/contract.ts";
import type { ApiError, ErrorCode } from "../wire/errors.ts";
import { countEvents, countEventsLater } from "./event-counter.ts";
import { auditReason } from "./record-call.ts";
import type { NewSecurityEvent } from "./write-events.ts";

type Refused = {
  request: Request;
  requestId: string;
  params: Record<string, string>;
  address: string | null;
  identity?: Identity;
  principal?: Principal;
  tenantId?: string;
};

const REFUSALS: readonly ErrorCode[] = [
  "unauthenticated",
  "tenant_forbidden",
  "role_required",
  "scope_required",
  "ip_not_allowed",
  "browser_forbidden",
];
const MAX_HOME_TENANTS = 20;
const MAX_ORIGIN_LENGTH = 200;
/** A tenant's ID has 63 characters, and a sandbox's 8 more. */
const MAX_NAME_LENGTH = 71;

export function isRefusal(code: ErrorCode): boolean {
  return REFUSALS.includes(code);
}

/**
 * Records a refusal for the tenants that the credential belongs to, and for the tenant that the
 * request named, if that exists. The latter is not awaited: its duration would reveal whether the
 * tenant exists.
 */
export async function recordRefusal(
  { operationId: operation, tenantParam }: Contract,
  call: Refused,
  { code, cause }: ApiError,
): Promise<void> {
  const { identity } = call;
  if (!identity) {
    const event = baseEvent(operation, call, code);
    const token = cause instanceof TokenRefused ? tokenDetails(cause) : undefined;
    const bucket = JSON.stringify(["anonymous", code, call.address, token]);
    return countEventsLater([{ ...event, details: { ...event.details, ...token }, bucket }]);
  }
  const actor = actorOfIdentity(identity);
  const person = personOf(identity);
  const bucket = JSON.stringify([actor, person, code]);
  const event = {
    ...baseEvent(operation, call, code),
    actor,
    ...person,
    credential: identity.type,
    bucket,
  };
  if (code !== "tenant_forbidden") {
    const tenantId =
      identity.type === "api_key" ? identity.key.tenantId : call.request.headers.get("x-tenant-id");
    const ownEvents = [
      { ...event, tenant_id: tenantId, elsewhere: identity.type === "service_role" },
    ];
    return identity.type === "publishable_key"
      ? countEventsLater(ownEvents)
      : countEvents(ownEvents);
  }
  const homeTenants = call.principal && call.tenantId ? [call.tenantId] : homeTenantsOf(identity);
  const named = namedTenant(call, tenantParam);
  const attempt = { ...event, cross_tenant: true, target: named && `tenant:${named}` };
  if (named && !homeTenants.includes(named)) {
    countEventsLater([
      {
        ...attempt,
        tenant_id: named,
        elsewhere: false,
        home_tenant_id: homeTenants.length === 1 ? homeTenants[0] : null,
      },
    ]);
  }
  await countEvents(
    homeTenants.length > 0
      ? homeTenants.map((tenant_id) => ({ ...attempt, tenant_id }))
      : [attempt],
  );
}

/** Counted per issuer, so that a provider whose tokens are refused is visible. */
function tokenDetails({ reason, about }: TokenRefused): Record<string, string | null> {
  const issuer = about.issuer?.slice(0, MAX_ORIGIN_LENGTH) ?? null;
  return { token_refused: reason, token_issuer: issuer };
}

function baseEvent(
  operation: string,
  { request, requestId, address, identity }: Refused,
  code: ErrorCode,
): NewSecurityEvent {
  const origin =
    code === "browser_forbidden"
      ? request.headers.get("origin")?.slice(0, MAX_ORIGIN_LENGTH)
      : undefined;
  return {
    tenant_id: null,
    elsewhere: true,
    type: "access.refused",
    actor: "anonymous",
    credential: "none",
    cross_tenant: identity?.type === "service_role",
    operation,
    address,
    request_id: requestId,
    reason: auditReason(request),
    details: {
      code,
      ...(identity?.type === "api_key" &&
        code === "unauthenticated" && { key_is: identity.key.standing }),
      ...(origin && { origin }),
    },
  };
}

/**
 * The tenant that the credential does not belong to: in the path if that differs from the header,
 * else in the header. Null if it was in the body.
 */
function namedTenant(
  { params, request, principal, tenantId }: Refused,
  tenantParam: string | null,
): string | null {
  const inPath = tenantParam === null ? undefined : params[tenantParam];
  const inHeader = principal ? undefined : request.headers.get("x-tenant-id");
  const named = inPath !== undefined && inPath !== tenantId ? inPath : inHeader;
  return named?.slice(0, MAX_NAME_LENGTH) ?? null;
}

function homeTenantsOf(identity: Identity): string[] {
  if (identity.type === "user") return [...identity.memberships.keys()].slice(0, MAX_HOME_TENANTS);
  return identity.type === "api_key" ? [identity.key.tenantId] : [];
}

function actorOfIdentity(identity: Identity): string {
  if (identity.type === "user") return actorOf(identity);
  return identity.type === "api_key" ? `api_key:${identity.key.id}` : identity.type;
}
