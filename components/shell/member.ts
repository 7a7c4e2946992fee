import type { Role } from "#lib/wire/access.ts";

/** The signed-in user as the shell shows them. `tenants`: the identifiers of all tenants they belong to. */
export type Member = { name: string; roles: readonly Role[]; tenants: readonly string[] };

export type Tenant = { id: string; name: string };

const ROLE_NAMES: Record<Role, string> = { tenant_admin: "Admin", tenant_analyst: "Analyst", tenant_lead: "Lead" };

export function roleNames(roles: readonly Role[]): string {
  return roles.map((role) => ROLE_NAMES[role]).join(", ") || "No role";
}
