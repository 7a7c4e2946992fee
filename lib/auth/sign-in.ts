import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@supabase/supabase-js";
import type { AuthOptions, CookieOption } from "next-auth";
import CredentialsProvider from "next-auth/providers/credentials";
import type { Provider } from "next-auth/providers/index";
import { env } from "../runtime/env.ts";
import { log } from "../runtime/log.ts";
import { type Memberships, membershipsOf, nameOf } from "./principal.ts";
import { cookieName, isSecure, PASSWORD_PROVIDER } from "./session.ts";

/** An unknown email is known at once, a wrong password only when it was hashed: neither is told sooner than this. */
const REFUSED_AFTER_MS = 500;
/** From signing in, however often the cookie is renewed. */
const SESSION_SECONDS = 8 * 60 * 60;
/** To a provider and back. */
const ROUND_TRIP_SECONDS = 15 * 60;

/** An OIDC provider of the variables: OIDC_PROVIDERS=okta,… and for each OIDC_OKTA_ISSUER, _CLIENT_ID, _CLIENT_SECRET, _NAME. */
export type OidcProvider = { id: string; name: string; issuer: string; clientId: string; clientSecret: string };

/** @throws Error naming the variable that is missing. */
export function oidcProviders(variables: NodeJS.ProcessEnv = process.env): OidcProvider[] {
  const ids = (variables.OIDC_PROVIDERS ?? "")
    .split(",")
    .map((id) => id.trim())
    .filter(Boolean);
  return ids.map((id) => {
    const prefix = `OIDC_${id.toUpperCase().replaceAll("-", "_")}`;
    const required = (name: string) => {
      const value = variables[`${prefix}_${name}`];
      if (!value) throw new Error(`OIDC_PROVIDERS names ${id}, but ${prefix}_${name} is not set.`);
      return value;
    };
    return {
      id,
      name: variables[`${prefix}_NAME`] ?? id,
      issuer: required("ISSUER"),
      clientId: required("CLIENT_ID"),
      clientSecret: required("CLIENT_SECRET"),
    };
  });
}

/** next-auth: Supabase Auth by password, and any OIDC provider. The session is an encrypted cookie with name and tenants. */
export function signInOptions(): AuthOptions {
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
      jwt({ token, user, account, profile }) {
        if (!account) return token;
        const { provider, providerAccountId: subject } = account;
        const byPassword = provider === PASSWORD_PROVIDER;
        const claims = (byPassword ? user : profile) as unknown as Record<string, unknown>;
        return {
          sub: subject,
          provider,
          name: nameOf(claims, subject),
          email: token.email,
          tenants: plain(membershipsOf(claims)),
          valid_until: Math.floor(Date.now() / 1000) + (byPassword ? SESSION_SECONDS : env().OIDC_SESSION_MINUTES * 60),
        };
      },
      session({ session, token }) {
        return { ...session, user: { name: token.name, email: token.email }, tenants: token.tenants };
      },
    },
    logger: {
      error: (code, metadata) => log.warn({ code, reason: metadata instanceof Error ? metadata.message : undefined }, "sign-in failed"),
      warn: () => {},
      debug: () => {},
    },
  };
}

function cookie(name: string, maxAge?: number): CookieOption {
  return { name: cookieName(name), options: { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure(), maxAge } };
}

function passwordProvider(): Provider {
  return CredentialsProvider({
    id: PASSWORD_PROVIDER,
    name: "Email and password",
    credentials: { email: { type: "email" }, password: { type: "password" } },
    async authorize(credentials) {
      if (!credentials?.email || !credentials.password) return null;
      const startedAt = performance.now();
      const supabase = createClient(env().SUPABASE_URL, env().SUPABASE_PUBLISHABLE_KEY, { auth: { persistSession: false } });
      const { data, error } = await supabase.auth.signInWithPassword(credentials);
      if (error && !isRefusal(error.status)) throw new Error("Unavailable", { cause: error });
      if (!data.user) {
        await delay(REFUSED_AFTER_MS - (performance.now() - startedAt));
        return null;
      }
      const { id, email, app_metadata } = data.user;
      return { id, email, app_metadata };
    },
  });
}

/** Whether the credentials are wrong, as against nobody being able to tell. */
function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && status !== 429;
}

function oidcProvider({ id, name, issuer, clientId, clientSecret }: OidcProvider): Provider {
  return {
    id,
    name,
    type: "oauth",
    wellKnown: `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
    clientId,
    clientSecret,
    idToken: true,
    checks: ["pkce", "state", "nonce"],
    authorization: { params: { scope: "openid email profile" } },
    profile: (profile: { sub: string; email?: string }) => ({ id: profile.sub, email: profile.email }),
  };
}

function plain(memberships: Memberships): Record<string, readonly string[]> {
  return Object.fromEntries(memberships);
}
