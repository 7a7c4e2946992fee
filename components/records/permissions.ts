import type { Role } from "#lib/wire/access.ts";

/** What the reader may do with records. /v1 decides; this is for saying so before it is tried. */
export type Permissions = { write: boolean; restore: boolean };

export function permissionsOf(roles: readonly Role[]): Permissions {
  const restore = roles.includes("tenant_admin");
  return { write: restore || roles.includes("tenant_lead"), restore };
}
