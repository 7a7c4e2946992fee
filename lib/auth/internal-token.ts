import { SignJWT } from "jose";
import { env } from "../runtime/env.ts";
import { INTERNAL_ISSUER } from "../runtime/trust.ts";
import { actorOf, type Principal } from "./principal.ts";

const LIFETIME_SECONDS = 60;

/** The token of one request's database client: one principal, one tenant, one minute. The database decides by it again. */
export function signInternalToken(principal: Principal, tenantId: string): Promise<string> {
  return sign({
    role: principal.type === "publishable_key" ? "anon" : "authenticated",
    sub: principal.id,
    issuer: principal.issuer,
    session_id: principal.sessionId,
    tenant_id: tenantId,
    principal_type: principal.type,
    principal_id: `${principal.type}:${principal.lineageId}`,
    actor: actorOf(principal),
    roles: principal.roles,
    scopes: principal.scopes,
  });
}

/** The token of the server's own work, across tenants. */
export function signServiceToken(): Promise<string> {
  return sign({ role: "service_role", actor: "system" });
}

function sign(claims: Record<string, unknown>): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer(INTERNAL_ISSUER)
    .setExpirationTime(`${LIFETIME_SECONDS}s`)
    .sign(new TextEncoder().encode(env().SUPABASE_JWT_SECRET));
}
