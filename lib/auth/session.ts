import { parseCookie } from "cookie";
import { getToken } from "next-auth/jwt";
import { env } from "../runtime/env.ts";
import { type Identity, membershipsOf, subjectOf } from "./principal.ts";
import { currentMemberships } from "./session-user.ts";

export type UserIdentity = Extract<Identity, { type: "user" }>;

/** Signing in by email and password, which Supabase Auth checks. */
export const PASSWORD_PROVIDER = "password";

/** `__Host-` binds a cookie to this host and to https; plain http has no such prefix. */
export function cookieName(name: string): string {
  return `${isSecure() ? "__Host-" : ""}tieout.${name}`;
}

export function isSecure(): boolean {
  return env().NEXTAUTH_URL.startsWith("https:");
}

/**
 * The identity of our own pages' session, or null. A cookie travels by itself, so it counts only with proof that our own
 * page sent the request and a tenant named by that page.
 */
export async function sessionIdentity(request: Request): Promise<UserIdentity | null> {
  if (!isSameOrigin(request.headers) || !request.headers.has("x-tenant-id")) return null;
  return identityOfCookies(parseCookie(request.headers.get("cookie") ?? ""));
}

/**
 * The identity in a set of cookies; for pages, whose navigation is itself the user's act. The roles of who signed in by
 * password are those that Supabase Auth gives them now; an identity provider's hold until it is asked again.
 */
export async function identityOfCookies(cookies: Record<string, string | undefined>): Promise<UserIdentity | null> {
  const token = await getToken({
    req: { cookies, headers: {} } as never,
    secret: env().NEXTAUTH_SECRET,
    cookieName: cookieName("session"),
    secureCookie: isSecure(),
  }).catch(() => null);
  const id = token && subjectOf(token);
  if (!id || typeof token.name !== "string") return null;
  const { name, provider, valid_until: validUntil } = token;
  if (typeof validUntil === "number" && validUntil <= Date.now() / 1000) return null;
  const memberships = provider === PASSWORD_PROVIDER ? await currentMemberships(id) : membershipsOf(token);
  return memberships && { type: "user", id, name, memberships };
}

function isSameOrigin(headers: Headers): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  return headers.get("origin") === new URL(env().NEXTAUTH_URL).origin;
}
