import type { Bounds, ClaimNames } from "../runtime/auth-config.ts";
import { ROLES, type Role } from "../wire/access.ts";
import { isVisible } from "../wire/schema.ts";
import type { Memberships } from "./principal.ts";

const MAX_SUBJECT_LENGTH = 255;
const MAX_NAME_LENGTH = 120;
/** Clocks differ. */
const AHEAD_SECONDS = 60;

type Claims = Record<string, unknown>;

export const USUAL_CLAIMS: ClaimNames = { tenants: null, roles: "roles" };

/**
 * The tenants of a token: claim `tenants`, top level or under `app_metadata`, as `{ "acme": ["tenant_admin"] }` or as
 * `["acme"]` with `roles` next to it; under other names where the variables give them. `user_metadata` is the user's own to write
 * and is never read. Anything else is no membership, and so is a tenant that the token's issuer may not speak for.
 */
export function membershipsOf(
  claims: Claims,
  names = USUAL_CLAIMS,
  bounds: Bounds = null,
): Memberships {
  const all = statedIn(claims, names);
  return bounds === null ? all : new Map([...all].filter(([tenant]) => bounds.has(tenant)));
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
 * The `sub` of a token: 1 to 255 characters (OpenID Connect Core, 2) that a header and the database can carry. Null for
 * anything else: it identifies no user.
 */
export function subjectOf({ sub }: Claims): string | null {
  if (typeof sub !== "string" || sub.trim() === "" || sub.length > MAX_SUBJECT_LENGTH) return null;
  return sub.isWellFormed() && !sub.includes("\0") ? sub : null;
}

/** The `iss` of a token, empty where it has none. Null for what Postgres cannot store: it identifies no user. */
export function issuerOf({ iss }: Claims): string | null {
  if (iss === undefined) return "";
  return typeof iss === "string" &&
    iss.length <= MAX_SUBJECT_LENGTH &&
    iss.isWellFormed() &&
    !iss.includes("\0")
    ? iss
    : null;
}

/** For `user:<name>`: `preferred_username`, else the local part of `email`, else `sub`. What is blank is not given. */
export function nameOf({ preferred_username: username, email }: Claims, subject: string): string {
  const localPart =
    typeof email === "string" ? email.slice(0, Math.max(0, email.indexOf("@"))) : undefined;
  const given = [username, localPart, subject].filter((name) => typeof name === "string");
  return given.map(toName).find((name) => name !== "") ?? "";
}

/** Whether a token's whole life is at most so long. Without `iat` it is what is left of it: it may not outlive what is allowed. */
export function livesAtMost(seconds: number, { exp, iat }: Claims): boolean {
  const now = Date.now() / 1000;
  const since = typeof iat === "number" ? iat : now;
  return typeof exp === "number" && since <= now + AHEAD_SECONDS && exp - since <= seconds;
}

/**
 * Supabase Auth's `aal`; of others, a sign-in with several factors (`amr`, RFC 8176) is the second level. What says nothing of it
 * is the first.
 */
export function assuranceOf({ aal, amr }: Claims): "aal1" | "aal2" {
  if (typeof aal === "string") return aal === "aal2" ? "aal2" : "aal1";
  return Array.isArray(amr) && amr.includes("mfa") ? "aal2" : "aal1";
}

/** In normal form C, without white space, NUL characters and halves of characters; nothing for an invisible name. */
function toName(value: string): string {
  const sound = value
    .toWellFormed()
    .normalize("NFC")
    .replaceAll("\0", "\uFFFD")
    .trim()
    .replace(/\s+/gu, "_");
  return isVisible(sound) ? [...sound].slice(0, MAX_NAME_LENGTH).join("") : "";
}

function knownRoles(value: unknown): Role[] {
  return Array.isArray(value) ? ROLES.filter((role) => value.includes(role)) : [];
}

function isRecord(value: unknown): value is Claims {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
