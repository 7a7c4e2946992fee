/**
 * The permissions of each role and scope. Only this file names roles. A contract names a permission
 * by `needs`; `npm run generate` copies the permissions to the database
 * (supabase/schemas/core/operations.gen.sql); pages call `allows` before they offer an action. Safe
 * in the browser.
 */
import type { SurfacePath } from "../records/surfaces/every-surface.ts";

export const ROLES = ["tenant_admin", "tenant_analyst", "tenant_lead", "tenant_auditor"] as const;
export type Role = (typeof ROLES)[number];

/** Resources that API keys have scopes for, besides the record surfaces. */
export const SCOPED_RESOURCES = ["reconciliations", "exceptions", "webhooks"] as const;

/** Resources that API keys can only read. */
export const READ_ONLY_RESOURCES = ["requests", "security-events"] as const;

export type Scope =
  | `${"read" | "write"}:${(typeof SCOPED_RESOURCES)[number] | SurfacePath}`
  | `read:${(typeof READ_ONLY_RESOURCES)[number]}`;

/**
 * Who can call an operation. `permission` is action:resource, which the database's policies check.
 * A user needs one of the `roles`; `any` admits every principal of the tenant. An API key needs
 * `scope`; null means that no API key can call, unless `anyKey` admits them all: then the function
 * narrows what each sees by its scopes. The service-role key can call unless `service` is false.
 */
export type Access = {
  permission: string;
  roles: readonly Role[] | "any";
  scope: Scope | null;
  anyKey: boolean;
  service: boolean;
  publishable: boolean;
};

/** The properties of a principal that decide its access. */
export type Holder = {
  type: "user" | "api_key" | "service_role" | "publishable_key";
  roles?: readonly Role[];
  scopes?: readonly Scope[];
};

/** Whether the holder may call. `private.holds` implements the same rule in the database. */
export function allows(
  { roles, scope, anyKey, service, publishable }: Access,
  holder: Holder,
): boolean {
  switch (holder.type) {
    case "user":
      return roles === "any" || roles.some((role) => holder.roles?.includes(role));
    case "api_key":
      return anyKey || (scope !== null && holder.scopes?.includes(scope) === true);
    case "service_role":
      return service;
    case "publishable_key":
      return publishable;
  }
}

/** The scope to read what an operation changes, or null if keys can't read it. */
export function readScopeOf({ scope }: Access): Scope | null {
  return scope?.startsWith("write:") ? (scope.replace("write:", "read:") as Scope) : null;
}

/** `scoped` is true if the scope has the permission's name; otherwise it is that scope. */
type Grant = Omit<Access, "permission" | "scope"> & { scoped: boolean | Scope };

const grant = (roles: Access["roles"], others: Partial<Grant> = {}): Grant => ({
  roles,
  scoped: false,
  anyKey: roles === "any",
  service: true,
  publishable: false,
  ...others,
});

/** An auditor reads everything that a lead reads, and changes nothing. */
const WORKERS: readonly Role[] = ["tenant_admin", "tenant_analyst", "tenant_lead"];
const ADMIN: readonly Role[] = ["tenant_admin"];
const LEADS: readonly Role[] = ["tenant_admin", "tenant_lead"];

const PERMISSIONS = {
  "read:me": grant("any", { publishable: true }),
  // A user's own sessions and settings, whatever their role; a server has none.
  "read:sessions": grant(ROLES, { service: false }),
  "write:sessions": grant(ROLES, { service: false }),
  "read:notifications": grant(ROLES, { service: false }),
  "write:notifications": grant(ROLES, { service: false }),
  "read:alert-channels": grant(ADMIN),
  "write:alert-channels": grant(ADMIN),
  "read:first-steps": grant(ADMIN, { service: false }),
  "write:first-steps": grant(ADMIN, { service: false }),
  "read:members": grant(ROLES),
  // Addresses, roles and invitations: only people decide who has access.
  "read:people": grant(ADMIN, { service: false }),
  "write:people": grant(ADMIN, { service: false }),
  "read:api-keys": grant(ADMIN, { service: false }),
  "write:api-keys": grant(ADMIN, { service: false }),
  "read:exceptions": grant(ROLES, { scoped: true }),
  "write:exceptions": grant(WORKERS, { scoped: true }),
  // The monitor needs a role (spec 4.2), so no API key has it.
  "read:sla": grant(ROLES),
  // Views belong to a person.
  "read:views": grant(ROLES, { service: false }),
  "write:views": grant(WORKERS, { service: false }),
  // The home page of the dashboard.
  "read:overview": grant(ROLES),
  "read:sla-policy": grant(ROLES),
  "write:sla-policy": grant(LEADS),
  // Deadlines depend on calendars, so reading exceptions includes reading them.
  "read:calendars": grant(ROLES, { scoped: "read:exceptions" }),
  "write:calendars": grant(ADMIN),
  "read:reconciliations": grant(ROLES, { scoped: true }),
  "write:reconciliations": grant(LEADS, { scoped: true }),
  // Deciding suggestions is a smaller permission than changing matches.
  "decide:matches": grant(WORKERS, { scoped: "write:reconciliations" }),
  // Every working role adds files to it, including analysts.
  "read:evidence": grant(ROLES, { scoped: "read:reconciliations" }),
  "write:evidence": grant(WORKERS, { scoped: "write:reconciliations" }),
  // A connection holds a credential of the bank.
  "write:connections": grant(ADMIN, { scoped: "write:reconciliations" }),
  // Only people sign and close a period.
  "prepare:reconciliations": grant(WORKERS, { service: false }),
  "close:reconciliations": grant(LEADS, { service: false }),
  "read:webhooks": grant(ADMIN, { scoped: true }),
  "write:webhooks": grant(ADMIN, { scoped: true }),
  "read:security-events": grant(["tenant_admin", "tenant_auditor"], { scoped: true }),
  "read:requests": grant(ADMIN, { scoped: true }),
  "create:sandbox": grant(ADMIN, { service: false }),
  // A build resets it before its tests. The database refuses that in a live tenant.
  "reset:sandbox": grant(ADMIN, { scoped: "write:reconciliations" }),
  // Each caller gets the event types whose content it can read.
  "read:events": grant(ROLES, { anyKey: true }),
} as const satisfies Record<string, Grant>;

export type Permission = keyof typeof PERMISSIONS;

/** The access of operations that need this permission. */
export function needs(permission: Permission): Access {
  return accessOf(permission, PERMISSIONS[permission]);
}

/**
 * The access of a record surface. `isPublic` says whether the publishable key can read its
 * published records.
 */
export function needsOnSurface(
  action: "read" | "write" | "restore",
  path: string,
  isPublic = false,
): Access {
  const grants = {
    read: grant(ROLES, { scoped: true, publishable: isPublic }),
    write: grant(LEADS, { scoped: true }),
    restore: grant(ADMIN),
  };
  return accessOf(`${action}:${path}`, grants[action]);
}

function accessOf(permission: string, { scoped, ...grant }: Grant): Access {
  return {
    permission,
    scope: scoped === true ? (permission as Scope) : scoped || null,
    ...grant,
  };
}
