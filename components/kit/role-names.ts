import type { Role } from "#lib/wire/access.ts";

const NAMES: Record<Role, string> = {
  tenant_admin: "Admin",
  tenant_analyst: "Analyst",
  tenant_lead: "Lead",
  tenant_auditor: "Auditor",
};

export function roleNames(roles: readonly Role[]): string {
  return roles.map((role) => NAMES[role]).join(", ") || "No role";
}
