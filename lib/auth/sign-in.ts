import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@supabase/supabase-js";
import { decodeJwt } from "jose";
import type { Account, AuthOptions, CookieOption } from "next-auth";
import CredentialsProvider from "next-auth/providers/credentials";
import type { Provider } from "next-auth/providers/index";
import { type OidcProvider, oidcProviders } from "../runtime/auth-config.ts";
import { env } from "../runtime/env.ts";
import { log } from "../runtime/log.ts";
import { CLIENT_ADDRESS_HEADER } from "../wire/inbound-headers.ts";
import { callbackPath } from "./callback-path.ts";
import { assuranceOf, membershipsOf, nameOf } from "./claims.ts";
import type { Memberships } from "./principal.ts";
import { cookieName, isSecure, PASSWORD_PROVIDER } from "./session.ts";
import { beginSession } from "./session-store.ts";
import { supabaseIssuer } from "./trust-anchors.ts";

/**
 * The minimum time of a refusal. An unknown email fails at once and a wrong password only after
 * hashing, so without it the time would reveal which emails exist.
 */
const REFUSED_AFTER_MS = 500;
/** The maximum duration of a session, however often its cookie is renewed. */
const SESSION_SECONDS = 8 * 60 * 60;
/** The time for a round trip to an identity provider. */
const ROUND_TRIP_SECONDS = 15 * 60;

/**
 * Options of next-auth: Supabase Auth by password, and any OIDC provider. The session is an
 * encrypted cookie. `headers` are those of the sign-in request.
 */
export function signInOptions(headers: Headers): AuthOptions {
  return {
    secret: env().NEXTAUTH_SECRET,
    session: { strategy: "jwt", maxAge: SESSION_SECONDS },
    pages: { signIn: "/sign-in", error: "/sign-in" },
    useSecureCookies: isSecure(),
    cookies: {
      sessionToken: cookie("session"),
      csrfToken: cookie("csrf"),
      callbackUrl: cookie("callback"),
      pkceCodeVerifier: cookie("pkce", ROUND_TRIP_SECONDS),
      state: cookie("state", ROUND_TRIP_SECONDS),
      nonce: cookie("nonce", ROUND_TRIP_SECONDS),
    },
    providers: [passwordProvider(), ...oidcProviders().map(oidcProvider)],
    callbacks: {
      redirect: ({ url, baseUrl }) => baseUrl + callbackPath(url, baseUrl),
      /** Returns false to refuse, or the page to redirect to. */
      signIn: ({ user, account, profile }) => {
        const claims = claimsOf({ user, account, profile });
        if (!isOfProvider(claims, account?.provider)) return false;
        return hasAssurance(claims) || "/sign-in?error=SecondFactorRequired";
      },
      async jwt({ token, user, account, profile }) {
        if (!account) return token;
        const { provider, providerAccountId: subject } = account;
        const byPassword = provider === PASSWORD_PROVIDER;
        const claims = claimsOf({ user, account, profile });
        const configured = providerOf(provider);
        const issuer = configured ? String(claims.iss) : supabaseIssuer();
        const seconds = byPassword ? SESSION_SECONDS : env().OIDC_SESSION_MINUTES * 60;
        return {
          sid: await beginSession({ issuer, subject, provider, seconds, ...browserOf(headers) }),
          sub: subject,
          issuer,
          provider,
          name: nameOf(claims, subject),
          email: token.email,
          aal: assuranceOf(claims),
          tenants: plain(membershipsOf(claims, configured?.claims, configured?.tenants)),
          valid_until: Math.floor(Date.now() / 1000) + seconds,
        };
      },
      session({ session, token }) {
        return {
          ...session,
          user: { name: token.name, email: token.email },
          tenants: token.tenants,
        };
      },
    },
    logger: {
      error: (code, metadata) =>
        log.warn(
          { code, reason: metadata instanceof Error ? metadata.message : undefined },
          "sign-in failed",
        ),
      warn: () => {},
      debug: () => {},
    },
  };
}

function browserOf(headers: Headers) {
  return { address: headers.get(CLIENT_ADDRESS_HEADER), user_agent: headers.get("user-agent") };
}

type SignedIn = { user: unknown; account: Account | null; profile?: unknown };

/** The claims of the user signing in, from Supabase Auth or from the provider's ID token. */
function claimsOf({ user, account, profile }: SignedIn): Record<string, unknown> {
  return (account?.provider === PASSWORD_PROVIDER ? user : profile) as Record<string, unknown>;
}

/**
 * A provider's discovery document may name another issuer than the configured one. Its users would
 * be other people, so the sign-in is refused.
 */
function isOfProvider({ iss }: Record<string, unknown>, id: string | undefined): boolean {
  const provider = providerOf(id);
  return provider
    ? typeof iss === "string" && withoutSlash(iss) === withoutSlash(provider.issuer)
    : id === PASSWORD_PROVIDER;
}

function providerOf(id: string | undefined): OidcProvider | undefined {
  return oidcProviders().find((provider) => provider.id === id);
}

function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, "");
}

function hasAssurance(claims: Record<string, unknown>): boolean {
  return env().AUTH_REQUIRED_AAL !== "aal2" || assuranceOf(claims) === "aal2";
}

function cookie(name: string, maxAge?: number): CookieOption {
  return {
    name: cookieName(name),
    options: { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure(), maxAge },
  };
}

function passwordProvider(): Provider {
  return CredentialsProvider({
    id: PASSWORD_PROVIDER,
    name: "Email and password",
    credentials: { email: { type: "email" }, password: { type: "password" } },
    async authorize(credentials) {
      if (!credentials?.email || !credentials.password) return null;
      const startedAt = performance.now();
      const supabase = createClient(env().SUPABASE_URL, env().SUPABASE_PUBLISHABLE_KEY, {
        auth: { persistSession: false },
      });
      const { data, error } = await supabase.auth.signInWithPassword(credentials);
      if (error && !isRefusal(error.status)) throw new Error("Unavailable", { cause: error });
      if (!data.user) {
        await delay(REFUSED_AFTER_MS - (performance.now() - startedAt));
        return null;
      }
      const { id, email, app_metadata } = data.user;
      const { aal } = decodeJwt(data.session.access_token);
      return { id, email, app_metadata, aal };
    },
  });
}

/** Whether the credentials are wrong, as opposed to unverifiable. */
function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && status !== 429;
}

function oidcProvider({ id, name, issuer, clientId, clientSecret }: OidcProvider): Provider {
  return {
    id,
    name,
    type: "oauth",
    wellKnown: `${withoutSlash(issuer)}/.well-known/openid-configuration`,
    clientId,
    clientSecret,
    idToken: true,
    checks: ["pkce", "state", "nonce"],
    authorization: { params: { scope: "openid email profile" } },
    profile: (profile: { sub: string; email?: string }) => ({
      id: profile.sub,
      email: profile.email,
    }),
  };
}

function plain(memberships: Memberships): Record<string, readonly string[]> {
  return Object.fromEntries(memberships);
}
