import { parseCookie } from "cookie";
import { getToken } from "next-auth/jwt";
import { env } from "../env.ts";
import { type Identity, membershipsOf } from "./principal.ts";

export type UserIdentity = Extract<Identity, { type: "user" }>;

/** `__Host-` binds the cookie to this host and to https; plain http has no such prefix. */
export function sessionCookieName(): string {
  return isSecure() ? "__Host-tieout.session" : "tieout.session";
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

/** The identity in a set of cookies; for pages, whose navigation is itself the user's act. */
export async function identityOfCookies(cookies: Record<string, string | undefined>): Promise<UserIdentity | null> {
  const token = await getToken({
    req: { cookies, headers: {} } as never,
    secret: env().NEXTAUTH_SECRET,
    cookieName: sessionCookieName(),
    secureCookie: isSecure(),
  }).catch(() => null);
  if (!token?.sub || typeof token.name !== "string") return null;
  return { type: "user", id: token.sub, name: token.name, memberships: membershipsOf(token) };
}

function isSameOrigin(headers: Headers): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  return headers.get("origin") === new URL(env().NEXTAUTH_URL).origin;
}
