import { parseCookie } from "cookie";
import { getToken, type JWT } from "next-auth/jwt";
import { oidcProviders } from "../runtime/auth-config.ts";
import { env } from "../runtime/env.ts";
import { assuranceOf, membershipsOf, subjectOf, USUAL_CLAIMS } from "./claims.ts";
import { type Memberships, rolesIn, type UserIdentity } from "./principal.ts";
import { ownerOfSession } from "./session-store.ts";
import { currentMemberships, forgetMemberships } from "./session-user.ts";

/** Sign-in by email and password, which Supabase Auth checks. */
export const PASSWORD_PROVIDER = "password";

/**
 * A header that our pages send with calls that no user action caused. Such a call doesn't keep the
 * session from becoming idle.
 */
const UNATTENDED = "x-unattended";

/** `__Host-` binds a cookie to this host and to https; plain http can't use the prefix. */
export function cookieName(name: string): string {
  return `${isSecure() ? "__Host-" : ""}tieout.${name}`;
}

export function isSecure(): boolean {
  return env().NEXTAUTH_URL.startsWith("https:");
}

/**
 * The identity of our pages' session, or null. Browsers send cookies with forged requests too, so
 * the cookie only counts if our own page sent the request and named a tenant.
 */
export async function sessionIdentity(request: Request): Promise<UserIdentity | null> {
  if (!isSameOrigin(request.headers) || !request.headers.has("x-tenant-id")) return null;
  return identityOfCookies(parseCookie(request.headers.get("cookie") ?? ""), {
    seen: !request.headers.has(UNATTENDED),
  });
}

export type Cookies = Record<string, string | undefined>;

/**
 * The identity in a set of cookies. Navigation to a page is a user action, so `seen` is the
 * default. Users who signed in by password have the roles that Supabase Auth gives them now; those
 * of an identity provider keep their roles until they sign in again.
 */
export async function identityOfCookies(
  cookies: Cookies,
  { seen } = { seen: true },
): Promise<UserIdentity | null> {
  const token = await tokenOf(cookies);
  const id = token && subjectOf(token);
  const { issuer, name, sid } = token ?? {};
  if (
    !id ||
    typeof name !== "string" ||
    typeof issuer !== "string" ||
    typeof sid !== "string" ||
    !isStillValid(token)
  )
    return null;
  const owner = await ownerOfSession(sid, seen);
  if (owner?.issuer !== issuer || owner.subject !== id) return null;
  const memberships = await membershipsNow(token, id);
  return memberships && { type: "user", issuer, id, name, memberships, sessionId: sid };
}

/**
 * Whether the user of a set of cookies is a member of a tenant now, even if their session has
 * ended. Null if the cookies don't say who it is, or the account is deleted or banned.
 */
export async function isMemberNow(cookies: Cookies, tenantId: string): Promise<boolean | null> {
  const token = await tokenOf(cookies);
  const id = token && subjectOf(token);
  if (!id || !isStillValid(token)) return null;
  forgetMemberships(id);
  const memberships = await membershipsNow(token, id);
  return memberships ? rolesIn(memberships, tenantId) !== undefined : null;
}

/** The ID of the session in a set of cookies, whether or not it is still valid. */
export async function sessionIdOfCookies(cookies: Cookies): Promise<string | null> {
  const sid = (await tokenOf(cookies))?.sid;
  return typeof sid === "string" ? sid : null;
}

function tokenOf(cookies: Cookies): Promise<JWT | null> {
  return getToken({
    req: { cookies, headers: {} } as never,
    secret: env().NEXTAUTH_SECRET,
    cookieName: cookieName("session"),
    secureCookie: isSecure(),
  }).catch(() => null);
}

function isStillValid({ valid_until: until, aal }: JWT): boolean {
  if (env().AUTH_REQUIRED_AAL === "aal2" && assuranceOf({ aal }) !== "aal2") return false;
  return typeof until === "number" && until > Date.now() / 1000;
}

/** Null for a deleted Supabase Auth user, and for a provider that is no longer configured. */
async function membershipsNow(token: JWT, id: string): Promise<Memberships | null> {
  if (token.provider === PASSWORD_PROVIDER) return currentMemberships(id);
  const provider = oidcProviders().find((provider) => provider.id === token.provider);
  // The token holds the memberships of the sign-in; the provider's bounds may have been reduced
  // since.
  return provider ? membershipsOf(token, USUAL_CLAIMS, provider.tenants) : null;
}

/**
 * Whether one of our own pages sent the request, since browsers send cookies with forged requests
 * too.
 */
export function isSameOrigin(headers: Headers): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  return headers.get("origin") === new URL(env().NEXTAUTH_URL).origin;
}
