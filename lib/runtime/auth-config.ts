/**
 * Which token issuers the server trusts. Read by the server and, before anything starts, by the
 * supervisor.
 */
import { z } from "zod";
import { tenantId } from "../wire/schema.ts";

/**
 * The issuer of the tokens that the server signs for its own database client. No credential may
 * have it.
 */
export const INTERNAL_ISSUER = "tieout-internal";

const MAX_AGE_SECONDS = 86_400;
const REQUIRED_WITH_KEYS = ["AUTH_JWT_ISSUER", "AUTH_JWT_AUDIENCE"] as const;
const ID = /^[a-z][a-z0-9-]{0,31}$/;

/** The tenants that an issuer may grant access to; null means every tenant. */
export type TenantBounds = ReadonlySet<string> | null;

/**
 * The claims that hold tenants and roles. If `tenants` is null, the claim `tenants` is read, at the
 * top or under `app_metadata`.
 */
export type ClaimNames = { tenants: string | null; roles: string };

export const optionalText = z
  .string()
  .optional()
  .transform((value) => value?.trim() || undefined);

const wholeSeconds = z
  .string()
  .regex(/^[1-9]\d*$/, "must be a whole number of seconds, 1 or more")
  .transform(Number);

/** Requires https, since plain http can be intercepted, except to this machine. */
const confidentialUrl = z.url().refine((text) => {
  const { protocol, hostname } = new URL(text);
  return (
    protocol === "https:" ||
    (protocol === "http:" && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname))
  );
}, "must be an https address; http is for this machine itself");

const bounds = optionalText.transform((list, context): TenantBounds => {
  if (list === undefined || list === "*") return null;
  const ids = list.split(",").map((id) => id.trim());
  const wrong = ids.find((id) => !tenantId.safeParse(id).success);
  if (wrong === undefined) return new Set(ids);
  context.addIssue({
    code: "custom",
    message: `must be tenants, comma-separated, or * for every tenant; "${wrong}" is none`,
  });
  return z.NEVER;
});

export const trustVariables = {
  AUTH_JWT_JWKS_URL: optionalText.pipe(confidentialUrl.optional()),
  AUTH_JWT_PUBLIC_KEY: optionalText,
  AUTH_JWT_ISSUER: optionalText.refine(
    (issuer) => issuer !== INTERNAL_ISSUER,
    "is the server's own; give your provider's",
  ),
  AUTH_JWT_AUDIENCE: optionalText,
  AUTH_JWT_TENANTS: bounds,
  AUTH_JWT_TENANTS_CLAIM: optionalText,
  AUTH_JWT_ROLES_CLAIM: optionalText,
  AUTH_JWT_MAX_AGE_SECONDS: optionalText.pipe(wholeSeconds.default(MAX_AGE_SECONDS)),
  AUTH_REQUIRED_AAL: optionalText.pipe(z.enum(["aal1", "aal2"], "must be aal1 or aal2").optional()),
};

const trust = z.object(trustVariables);

/**
 * An issuer signs tokens for many applications: only `iss` and `aud` say which are meant for this
 * one.
 */
export function requireAudience(read: z.output<typeof trust>, context: z.RefinementCtx): void {
  if (!read.AUTH_JWT_JWKS_URL && !read.AUTH_JWT_PUBLIC_KEY) return;
  for (const name of REQUIRED_WITH_KEYS.filter((key) => !read[key])) {
    const message =
      "is required with AUTH_JWT_JWKS_URL and AUTH_JWT_PUBLIC_KEY: without it, tokens made for " +
      "other applications would be accepted";
    context.addIssue({ code: "custom", path: [name], message });
  }
}

/** @throws Error that names the first invalid variable of the trust configuration. */
export function requireTrustVariables(variables: Record<string, string | undefined>): void {
  const { error } = trust.superRefine(requireAudience).safeParse(variables);
  const [issue] = error?.issues ?? [];
  if (issue) throw new Error(`${issue.path.join(".")} ${issue.message}.`);
  oidcProviders(variables);
}

/**
 * An OpenID provider, configured by OIDC_PROVIDERS=okta,… and OIDC_OKTA_ISSUER, _CLIENT_ID,
 * _CLIENT_SECRET, _NAME, … for each.
 */
export type OidcProvider = {
  id: string;
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  tenants: TenantBounds;
  claims: ClaimNames;
};

/** @throws Error that names the missing or invalid variable. */
export function oidcProviders(
  variables: Record<string, string | undefined> = process.env,
): OidcProvider[] {
  const ids = (variables.OIDC_PROVIDERS ?? "")
    .split(",")
    .map((id) => id.trim())
    .filter(Boolean);
  const wrong = ids.find(
    (id, index) => !ID.test(id) || id === "password" || ids.indexOf(id) !== index,
  );
  if (wrong !== undefined)
    throw new Error(
      "OIDC_PROVIDERS must be different names of small " +
        `letters, digits and -; "${wrong}" is not one.`,
    );
  return ids.map((id) => {
    const prefix = `OIDC_${id.toUpperCase().replaceAll("-", "_")}`;
    const read = (name: string) => variables[`${prefix}_${name}`]?.trim() || undefined;
    const required = (name: string) => {
      const value = read(name);
      if (!value) throw new Error(`OIDC_PROVIDERS names ${id}, but ${prefix}_${name} is not set.`);
      return value;
    };
    const parsed = <T>(name: string, schema: z.ZodType<T>) => {
      const { data, error } = schema.safeParse(read(name));
      if (error) throw new Error(`${prefix}_${name} ${error.issues[0]?.message}.`);
      return data as T;
    };
    if (ids.length > 1 && !read("TENANTS"))
      throw new Error(
        `OIDC_PROVIDERS names more than one provider, but ${prefix}_TENANTS is not set. ` +
          `Name the tenants that ${id} may speak for, comma-separated, or * for every tenant.`,
      );
    required("ISSUER");
    return {
      id,
      name: read("NAME") ?? id,
      issuer: parsed("ISSUER", confidentialUrl),
      clientId: required("CLIENT_ID"),
      clientSecret: required("CLIENT_SECRET"),
      tenants: parsed("TENANTS", bounds),
      claims: { tenants: read("TENANTS_CLAIM") ?? null, roles: read("ROLES_CLAIM") ?? "roles" },
    };
  });
}
