import type { ClaimNames, TenantBounds } from "../runtime/auth-config.ts";
import { ROLES, type Role } from "../wire/access.ts";
import { isSandbox } from "../wire/sandbox.ts";
import { isVisible } from "../wire/schema.ts";
import type { Memberships } from "./principal.ts";

const MAX_SUBJECT_LENGTH = 255;
const MAX_NAME_LENGTH = 120;
/** How far an issuer's clock may be ahead of ours. */
const AHEAD_SECONDS = 60;

type Claims = Record<string, unknown>;

export const USUAL_CLAIMS: ClaimNames = { tenants: null, roles: "roles" };

/**
 * The tenants of a token: claim `tenants`, at the top or under `app_metadata`, as `{ "acme":
 * ["tenant_admin"] }` or as `["acme"]` with `roles` next to it; the configuration can name other
 * claims. `user_metadata` is never read, because users can write it. Anything else grants no
 * membership, nor does a tenant outside the issuer's bounds, nor a sandbox, whose members are its
 * live tenant's.
 */
export function membershipsOf(
  claims: Claims,
  names = USUAL_CLAIMS,
  bounds: TenantBounds = null,
): Memberships {
  return new Map(
    [...statedIn(claims, names)].filter(
      ([tenant]) => !isSandbox(tenant) && (bounds === null || bounds.has(tenant)),
    ),
  );
}

function statedIn(claims: Claims, names: ClaimNames): Memberships {
  const name = names.tenants ?? "tenants";
  const below = names.tenants === null && isRecord(claims.app_metadata) ? claims.app_metadata : {};
  const holder = Object.hasOwn(claims, name) ? claims : below;
  const tenants = Object.hasOwn(holder, name) ? holder[name] : undefined;
  if (Array.isArray(tenants)) {
    const shared = knownRoles(Object.hasOwn(holder, names.roles) ? holder[names.roles] : undefined);
    return new Map(
      tenants.filter((tenant) => typeof tenant === "string").map((tenant) => [tenant, shared]),
    );
  }
  if (isRecord(tenants)) {
    return new Map(
      Object.entries(tenants).flatMap(([tenant, own]) =>
        Array.isArray(own) ? [[tenant, knownRoles(own)] as const] : [],
      ),
    );
  }
  return new Map();
}

/**
 * The `sub` of a token: 1 to 255 characters (OpenID Connect Core, 2) that headers and the database
 * can carry. Null for anything else, which identifies no user.
 */
export function subjectOf({ sub }: Claims): string | null {
  if (typeof sub !== "string" || sub.trim() === "" || sub.length > MAX_SUBJECT_LENGTH) return null;
  return sub.isWellFormed() && !sub.includes("\0") ? sub : null;
}

/**
 * The `iss` of a token, or an empty string without one. Null for text that Postgres cannot store,
 * which identifies no user.
 */
export function issuerOf({ iss }: Claims): string | null {
  if (iss === undefined) return "";
  return typeof iss === "string" &&
    iss.length <= MAX_SUBJECT_LENGTH &&
    iss.isWellFormed() &&
    !iss.includes("\0")
    ? iss
    : null;
}

/**
 * The name in `user:<name>`: `preferred_username`, else the local part of `email`, else `sub`.
 * Blank values are skipped.
 */
export function nameOf({ preferred_username: username, email }: Claims, subject: string): string {
  const localPart =
    typeof email === "string" ? email.slice(0, Math.max(0, email.indexOf("@"))) : undefined;
  const candidates = [username, localPart, subject].filter((name) => typeof name === "string");
  return candidates.map(toName).find((name) => name !== "") ?? "";
}

/**
 * Whether a token's total lifetime is at most `seconds`. Without `iat`, its remaining lifetime must
 * be.
 */
export function isShortLived(seconds: number, { exp, iat }: Claims): boolean {
  const now = Date.now() / 1000;
  const since = typeof iat === "number" ? iat : now;
  return typeof exp === "number" && since <= now + AHEAD_SECONDS && exp - since <= seconds;
}

/**
 * The assurance level: Supabase Auth's `aal`, or level 2 if another provider's `amr` (RFC 8176)
 * contains several factors. Level 1 if the token has neither.
 */
export function assuranceOf({ aal, amr }: Claims): "aal1" | "aal2" {
  if (typeof aal === "string") return aal === "aal2" ? "aal2" : "aal1";
  return Array.isArray(amr) && amr.includes("mfa") ? "aal2" : "aal1";
}

/**
 * Normalises to NFC and replaces white space, NUL characters and lone surrogates; empty for an
 * invisible name.
 */
function toName(value: string): string {
  const cleaned = value
    .toWellFormed()
    .normalize("NFC")
    .replaceAll("\0", "\uFFFD")
    .trim()
    .replace(/\s+/gu, "_");
  return isVisible(cleaned) ? [...cleaned].slice(0, MAX_NAME_LENGTH).join("") : "";
}

function knownRoles(value: unknown): Role[] {
  return Array.isArray(value) ? ROLES.filter((role) => value.includes(role)) : [];
}

function isRecord(value: unknown): value is Claims {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
