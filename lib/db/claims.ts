import { actorOf, type Principal } from "../auth/principal.ts";

/**
 * What the database learns about a caller, as the payload of a token or as settings of one
 * transaction. Row-level security checks these claims again.
 */
export type Claims = {
  role: "anon" | "authenticated" | "service_role";
  actor: string;
  [claim: string]: unknown;
};

const DATABASE_ROLES: Record<Principal["type"], Claims["role"]> = {
  user: "authenticated",
  api_key: "authenticated",
  service_role: "authenticated",
  publishable_key: "anon",
};

/** The claims of one principal in one tenant. */
export function claimsOf(principal: Principal, tenantId: string): Claims {
  return {
    role: DATABASE_ROLES[principal.type],
    sub: principal.id,
    issuer: principal.issuer,
    session_id: principal.sessionId,
    tenant_id: tenantId,
    principal_type: principal.type,
    principal_id: `${principal.type}:${principal.lineageId}`,
    actor: actorOf(principal),
    roles: principal.roles,
    scopes: principal.scopes,
  };
}

/** The claims of the server's own work across tenants. */
export const SERVICE_CLAIMS: Claims = { role: "service_role", actor: "system" };
