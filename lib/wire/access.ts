/**
 * Who may do what: the one place where roles are written. A contract names a permission by `needs`; `npm run generate` tells the
 * database (supabase/schemas/900_operations.gen.sql); pages ask `allows` before they offer something. Safe in the browser.
 */
import type { SurfacePath } from "../records/surfaces/every-surface.ts";

export const ROLES = ["tenant_admin", "tenant_analyst", "tenant_lead"] as const;
export type Role = (typeof ROLES)[number];

/** Resources that API keys have scopes for, besides the record surfaces. */
export const SCOPED_RESOURCES = ["reconciliations", "exceptions", "webhooks"] as const;

/** Those that an API key can only read. */
export const READ_ONLY_RESOURCES = ["requests"] as const;

export type Scope =
  | `${"read" | "write"}:${(typeof SCOPED_RESOURCES)[number] | SurfacePath}`
  | `read:${(typeof READ_ONLY_RESOURCES)[number]}`;

/**
 * Who can call an operation. `permission`: action:resource, which the database's policies check. `roles`: a user needs one of these;
 * `any` is any principal of the tenant. `scope`: what an API key needs; null: no API key can call. The service-role key can call unless
 * `service` is false.
 */
export type Access = {
  permission: string;
  roles: readonly Role[] | "any";
  scope: Scope | null;
  service: boolean;
  publishable: boolean;
};

/** What decides of a principal. */
export type Holder = {
  type: "user" | "api_key" | "service_role" | "publishable_key";
  roles?: readonly Role[];
  scopes?: readonly Scope[];
};

/** Whether the holder may call. `private.holds` decides the same in the database. */
export function allows({ roles, scope, service, publishable }: Access, holder: Holder): boolean {
  switch (holder.type) {
    case "user":
      return roles === "any" || roles.some((role) => holder.roles?.includes(role));
    case "api_key":
      return roles === "any" || (scope !== null && holder.scopes?.includes(scope) === true);
    case "service_role":
      return service;
    case "publishable_key":
      return publishable;
  }
}

/** The scope to read what an operation changes; null where it changes nothing that keys can read. */
export function readScopeOf({ scope }: Access): Scope | null {
  return scope?.startsWith("write:") ? (scope.replace("write:", "read:") as Scope) : null;
}

/** `scoped`: by the scope of its own name, or by this one. */
type Grant = Omit<Access, "permission" | "scope"> & { scoped: boolean | Scope };

const grant = (roles: Access["roles"], others: Partial<Grant> = {}): Grant => ({
  roles,
  scoped: false,
  service: true,
  publishable: false,
  ...others,
});

const ADMIN: readonly Role[] = ["tenant_admin"];
const LEADS: readonly Role[] = ["tenant_admin", "tenant_lead"];

const PERMISSIONS = {
  "read:me": grant("any", { publishable: true }),
  // One's own: a person's, whatever their role, and of no use to a server.
  "read:sessions": grant(ROLES, { service: false }),
  "write:sessions": grant(ROLES, { service: false }),
  "read:notifications": grant(ROLES, { service: false }),
  "write:notifications": grant(ROLES, { service: false }),
  "read:alert-channels": grant(ADMIN),
  "write:alert-channels": grant(ADMIN),
  "read:first-steps": grant(ADMIN, { service: false }),
  "write:first-steps": grant(ADMIN, { service: false }),
  "read:members": grant(ROLES),
  // Addresses, roles and invitations: who may come in is a person's decision.
  "read:people": grant(ADMIN, { service: false }),
  "write:people": grant(ADMIN, { service: false }),
  "read:api-keys": grant(ADMIN, { service: false }),
  "write:api-keys": grant(ADMIN, { service: false }),
  "read:exceptions": grant(ROLES, { scoped: true }),
  "write:exceptions": grant(ROLES, { scoped: true }),
  // The monitor needs a role (spec 4.2), so no API key has it.
  "read:sla": grant(ROLES),
  // What a person keeps for themselves.
  "read:views": grant(ROLES, { service: false }),
  "write:views": grant(ROLES, { service: false }),
  // A person's home page.
  "read:overview": grant(ROLES),
  "read:sla-policy": grant(ROLES),
  "write:sla-policy": grant(LEADS),
  // Deadlines count by them, so whoever reads exceptions may read them.
  "read:calendars": grant(ROLES, { scoped: "read:exceptions" }),
  "write:calendars": grant(ADMIN),
  "read:reconciliations": grant(ROLES, { scoped: true }),
  "write:reconciliations": grant(LEADS, { scoped: true }),
  // Suggestions: a smaller right than to change what was matched.
  "decide:matches": grant(ROLES, { scoped: "write:reconciliations" }),
  // A person signs for a period.
  "close:reconciliations": grant(LEADS, { service: false }),
  "read:webhooks": grant(ADMIN, { scoped: true }),
  "write:webhooks": grant(ADMIN, { scoped: true }),
  "read:security-events": grant(ADMIN),
  "read:requests": grant(ADMIN, { scoped: true }),
} as const satisfies Record<string, Grant>;

export type Permission = keyof typeof PERMISSIONS;

/** The access of operations that need this permission. */
export function needs(permission: Permission): Access {
  return accessOf(permission, PERMISSIONS[permission]);
}

/** The same for a record surface; `open`: whether the publishable key reads what is published there. */
export function needsOnSurface(
  action: "read" | "write" | "restore",
  path: string,
  open = false,
): Access {
  const grants = {
    read: grant(ROLES, { scoped: true, publishable: open }),
    write: grant(LEADS, { scoped: true }),
    restore: grant(ADMIN),
  };
  return accessOf(`${action}:${path}`, grants[action]);
}

function accessOf(permission: string, { roles, scoped, service, publishable }: Grant): Access {
  return {
    permission,
    roles,
    scope: scoped === true ? (permission as Scope) : scoped || null,
    service,
    publishable,
  };
}
