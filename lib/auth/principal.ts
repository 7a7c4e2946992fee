import type { Role, Scope } from "../wire/access.ts";
import { ApiError } from "../wire/errors.ts";
import { liveTenantOf } from "../wire/sandbox.ts";

/** The owner of a verified credential, before a tenant is chosen. */
export type Identity =
  | UserIdentity
  | { type: "api_key"; key: VerifiedApiKey }
  | { type: "publishable_key" }
  | { type: "service_role" };

/**
 * A user is identified by `issuer` and `id` (the token's `sub`) together. The name is only for
 * display and not unique.
 */
export type UserIdentity = {
  type: "user";
  issuer: string;
  id: string;
  name: string;
  memberships: Memberships;
  /** The ID of our pages' session; null for a token. */
  sessionId: string | null;
};

/** A key whose secret was verified. `standing` says whether it may still be used. */
export type VerifiedApiKey = {
  id: string;
  /** The ID of the first key in its rotation chain. */
  lineageId: string;
  tenantId: string;
  name: string;
  scopes: readonly Scope[];
  ipAllowlist: readonly string[];
  standing: "active" | "in_grace" | "expired" | "revoked";
};

/** The roles of each live tenant: a claim that names a sandbox grants nothing. */
export type Memberships = ReadonlyMap<string, readonly Role[]>;

/** The caller of a request, in exactly one tenant. */
export type Principal = {
  type: "user" | "api_key" | "publishable_key" | "service_role";
  id: string;
  /**
   * The `iss` of a user's token, which vouches for `id`. Empty if the token has none, and for other
   * principals.
   */
  issuer: string;
  /** The ID of our pages' session; null for any other credential. */
  sessionId: string | null;
  /**
   * Identifies the owner of idempotency keys, and stays the same when a key is rotated. A user's
   * includes the issuer; for other principals it is the ID.
   */
  lineageId: string;
  name: string;
  roles: readonly Role[];
  scopes: readonly Scope[];
};

/** How records name a principal: `user:<name>`, `api_key:<id>`, `service_role`. */
export function actorOf({ type, id, name }: Pick<Principal, "type" | "id" | "name">): string {
  if (type === "user") return `user:${name}`;
  return type === "api_key" ? `api_key:${id}` : type;
}

/**
 * The unique identity of a user, for a record that names them, since the name in `actor` is only
 * for display. Empty for other principals.
 */
export function personOf(identity: { type: string; issuer?: string; id?: string }): {
  actor_issuer?: string;
  actor_subject?: string;
} {
  return identity.type === "user"
    ? { actor_issuer: identity.issuer, actor_subject: identity.id }
    : {};
}

/** The roles in a tenant; undefined for others. A sandbox has the members of its live tenant. */
export function rolesIn(memberships: Memberships, tenantId: string): readonly Role[] | undefined {
  return memberships.get(liveTenantOf(tenantId));
}

/** @throws ApiError `tenant_forbidden`, the same whether or not the tenant exists. */
export function principalFor(identity: Identity, tenantId: string): Principal {
  switch (identity.type) {
    case "user": {
      const roles = rolesIn(identity.memberships, tenantId);
      const { issuer, id, name, sessionId } = identity;
      if (roles)
        return {
          type: "user",
          issuer,
          sessionId,
          id,
          lineageId: JSON.stringify([issuer, id]),
          name,
          roles,
          scopes: [],
        };
      break;
    }
    case "api_key": {
      const { id, lineageId, name, scopes } = identity.key;
      if (identity.key.tenantId === tenantId)
        return {
          type: "api_key",
          issuer: "",
          sessionId: null,
          id,
          lineageId,
          name,
          roles: [],
          scopes,
        };
      break;
    }
    case "service_role":
    case "publishable_key":
      return {
        type: identity.type,
        issuer: "",
        sessionId: null,
        id: identity.type,
        lineageId: identity.type,
        name: identity.type,
        roles: [],
        scopes: [],
      };
    default:
      identity satisfies never;
  }
  throw new ApiError(
    "tenant_forbidden",
    "This credential does not belong to the tenant named by X-Tenant-Id.",
  );
}
