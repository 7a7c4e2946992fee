import type { Role, Scope } from "../wire/access.ts";
import { ApiError } from "../wire/errors.ts";

/** Who a verified credential belongs to, before a tenant is chosen. */
export type Identity =
  | UserIdentity
  | { type: "api_key"; key: VerifiedApiKey }
  | { type: "publishable_key" }
  | { type: "service_role" };

/** A subject is known by its issuer and `id`, its `sub`, together; the name is for display, and not its alone. */
export type UserIdentity = {
  type: "user";
  issuer: string;
  id: string;
  name: string;
  memberships: Memberships;
  /** Of our own pages' session, null for a token. */
  sessionId: string | null;
};

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
  /** Who vouches for a user's `id`: the `iss` of its token. Empty where the token names none, and for anybody else. */
  issuer: string;
  /** Of our own pages' session, null for any other credential. */
  sessionId: string | null;
  /** What stays the same over rotations of a key: whose idempotency keys count. A user's has the issuer; for anybody else, the id. */
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

/** Who a person is, for a record that names them: the name in `actor` is for display. Nothing for what is no person. */
export function personOf(identity: { type: string; issuer?: string; id?: string }): {
  actor_issuer?: string;
  actor_subject?: string;
} {
  return identity.type === "user"
    ? { actor_issuer: identity.issuer, actor_subject: identity.id }
    : {};
}

/** @throws ApiError `tenant_forbidden`, the same whether or not the tenant exists. */
export function principalFor(identity: Identity, tenantId: string): Principal {
  switch (identity.type) {
    case "user": {
      const roles = identity.memberships.get(tenantId);
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
    default:
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
  }
  throw new ApiError(
    "tenant_forbidden",
    "This credential does not belong to the tenant named by X-Tenant-Id.",
  );
}
