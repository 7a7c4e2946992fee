import { ROLES, type Role, type Scope } from "../wire/access.ts";
import { ApiError } from "../wire/errors.ts";
import { isVisible } from "../wire/schema.ts";

const LONGEST_SUBJECT = 255;
const LONGEST_NAME = 120;

/** Who a verified credential belongs to, before a tenant is chosen. */
export type Identity =
  | { type: "user"; id: string; name: string; memberships: Memberships }
  | { type: "api_key"; key: VerifiedApiKey }
  | { type: "publishable_key" }
  | { type: "service_role" };

/** A key whose secret was shown, whatever its standing. */
export type VerifiedApiKey = {
  id: string;
  /** The first key of its rotation chain. */
  lineageId: string;
  tenantId: string;
  name: string;
  scopes: readonly Scope[];
  ipAllowlist: readonly string[];
  standing: "active" | "in_grace" | "expired" | "revoked";
};

/** Tenant → roles. */
export type Memberships = ReadonlyMap<string, readonly Role[]>;

/** Who acts, for exactly one tenant. */
export type Principal = {
  type: "user" | "api_key" | "publishable_key" | "service_role";
  id: string;
  /** What stays the same over rotations of a key: whose idempotency keys count. For anybody else, the id. */
  lineageId: string;
  name: string;
  roles: readonly Role[];
  scopes: readonly Scope[];
};

/** The form in which a principal is written into records: `user:<name>`, `api_key:<id>`, `service_role`. */
export function actorOf({ type, id, name }: Pick<Principal, "type" | "id" | "name">): string {
  if (type === "user") return `user:${name}`;
  return type === "api_key" ? `api_key:${id}` : type;
}

/** @throws ApiError `tenant_forbidden`, the same whether or not the tenant exists. */
export function principalFor(identity: Identity, tenantId: string): Principal {
  switch (identity.type) {
    case "user": {
      const roles = identity.memberships.get(tenantId);
      if (roles) return { type: "user", id: identity.id, lineageId: identity.id, name: identity.name, roles, scopes: [] };
      break;
    }
    case "api_key": {
      const { id, lineageId, name, scopes } = identity.key;
      if (identity.key.tenantId === tenantId) return { type: "api_key", id, lineageId, name, roles: [], scopes };
      break;
    }
    default:
      return { type: identity.type, id: identity.type, lineageId: identity.type, name: identity.type, roles: [], scopes: [] };
  }
  throw new ApiError("tenant_forbidden", "This credential does not belong to the tenant named by X-Tenant-Id.");
}

/**
 * The tenants of a token: claim `tenants`, top level or under `app_metadata`, as `{ "acme": ["tenant_admin"] }` or as
 * `["acme"]` with `roles` beside it. `user_metadata` is the user's own to write and is never read. Anything else is no membership.
 */
export function membershipsOf(claims: Record<string, unknown>): Memberships {
  const holder = "tenants" in claims ? claims : isRecord(claims.app_metadata) ? claims.app_metadata : {};
  const { tenants, roles } = holder;
  if (Array.isArray(tenants)) {
    const shared = knownRoles(roles);
    return new Map(tenants.filter((tenant) => typeof tenant === "string").map((tenant) => [tenant, shared]));
  }
  if (isRecord(tenants)) {
    return new Map(Object.entries(tenants).flatMap(([tenant, own]) => (Array.isArray(own) ? [[tenant, knownRoles(own)] as const] : [])));
  }
  return new Map();
}

/**
 * The `sub` of a token: 1 to 255 characters (OpenID Connect Core, 2) that a header and the database can carry. Null for
 * anything else: nobody is known by it.
 */
export function subjectOf({ sub }: Record<string, unknown>): string | null {
  if (typeof sub !== "string" || sub.trim() === "" || sub.length > LONGEST_SUBJECT) return null;
  return sub.isWellFormed() && !sub.includes("\0") ? sub : null;
}

/** For `user:<name>`: `preferred_username`, else the local part of `email`, else `sub`. What is blank is not given. */
export function nameOf({ preferred_username: username, email }: Record<string, unknown>, subject: string): string {
  const localPart = typeof email === "string" ? email.slice(0, Math.max(0, email.indexOf("@"))) : undefined;
  const given = [username, localPart, subject].filter((name) => typeof name === "string");
  return given.map(toName).find((name) => name !== "") ?? "";
}

/** In normal form C, without white space, NUL characters and halves of characters; nothing for a name that nobody can see. */
function toName(value: string): string {
  const sound = value.toWellFormed().normalize("NFC").replaceAll("\0", "\uFFFD").trim().replace(/\s+/gu, "_");
  return isVisible(sound) ? [...sound].slice(0, LONGEST_NAME).join("") : "";
}

function knownRoles(value: unknown): Role[] {
  return Array.isArray(value) ? ROLES.filter((role) => value.includes(role)) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
