import { parseCookie } from "cookie";
import { getToken, type JWT } from "next-auth/jwt";
import { oidcProviders } from "../runtime/auth-config.ts";
import { env } from "../runtime/env.ts";
import { assuranceOf, membershipsOf, subjectOf, USUAL_CLAIMS } from "./claims.ts";
import type { Memberships, UserIdentity } from "./principal.ts";
import { ownerOfSession } from "./session-store.ts";
import { currentMemberships } from "./session-user.ts";

/** Signing in by email and password, which Supabase Auth checks. */
export const PASSWORD_PROVIDER = "password";

/** Sent by our pages with calls that no user action caused: such a call does not keep a session from becoming idle. */
const UNATTENDED = "x-unattended";

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
  return identityOfCookies(parseCookie(request.headers.get("cookie") ?? ""), {
    seen: !request.headers.has(UNATTENDED),
  });
}

type Cookies = Record<string, string | undefined>;

/**
 * The identity in a set of cookies; for pages, whose navigation is itself the user's act. The roles of who signed in by
 * password are those that Supabase Auth gives them now; an identity provider's hold until it is asked again.
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
    !isStillGood(token)
  )
    return null;
  const owner = await ownerOfSession(sid, seen);
  if (owner?.issuer !== issuer || owner.subject !== id) return null;
  const memberships = await membershipsNow(token, id);
  return memberships && { type: "user", issuer, id, name, memberships, sessionId: sid };
}

/** The id of the session in a set of cookies, whether or not it still counts. */
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

function isStillGood({ valid_until: until, aal }: JWT): boolean {
  if (env().AUTH_REQUIRED_AAL === "aal2" && assuranceOf({ aal }) !== "aal2") return false;
  return typeof until === "number" && until > Date.now() / 1000;
}

/** Null where their provider is gone: a user of Supabase Auth who is gone, a provider that the variables no longer name. */
async function membershipsNow(token: JWT, id: string): Promise<Memberships | null> {
  if (token.provider === PASSWORD_PROVIDER) return currentMemberships(id);
  const provider = oidcProviders().find((one) => one.id === token.provider);
  // What the session holds was read from the provider's own claims; it may speak for fewer tenants since.
  return provider ? membershipsOf(token, USUAL_CLAIMS, provider.tenants) : null;
}

/** Whether one of our own pages sent it: a cookie travels by itself. */
export function isSameOrigin(headers: Headers): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  return headers.get("origin") === new URL(env().NEXTAUTH_URL).origin;
}
