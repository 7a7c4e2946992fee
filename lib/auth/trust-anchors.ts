import { importSPKI, type JWTVerifyGetKey } from "jose";
import type { ClaimNames, TenantBounds } from "../runtime/auth-config.ts";
import { env } from "../runtime/env.ts";
import { USUAL_CLAIMS } from "./claims.ts";
import { remoteKeys } from "./remote-keys.ts";

/** A source of trust: its key and its fixed algorithms. `kid` only selects within a JWKS. */
export type TrustAnchor = {
  algorithms: string[];
  key: Uint8Array | CryptoKey | JWTVerifyGetKey;
  issuer?: string;
  audience?: string;
  /**
   * Supabase Auth knows its users' tenants and whether they are banned; of other issuers' users
   * only the token says so.
   */
  ofSupabase: boolean;
  tenants: TenantBounds;
  claims: ClaimNames;
};

/** The issuer of Supabase Auth's tokens. */
export function supabaseIssuer(): string {
  return `${env().SUPABASE_URL.replace(/\/$/, "")}/auth/v1`;
}

export async function trustAnchors(): Promise<TrustAnchor[]> {
  const { AUTH_JWT_SECRET, AUTH_JWT_JWKS_URL, AUTH_JWT_PUBLIC_KEY, ...rest } = env();
  const provider = {
    issuer: rest.AUTH_JWT_ISSUER,
    audience: rest.AUTH_JWT_AUDIENCE,
    ofSupabase: false,
    tenants: rest.AUTH_JWT_TENANTS,
    claims: {
      tenants: rest.AUTH_JWT_TENANTS_CLAIM ?? null,
      roles: rest.AUTH_JWT_ROLES_CLAIM ?? USUAL_CLAIMS.roles,
    },
  };
  const supabase = {
    issuer: supabaseIssuer(),
    audience: "authenticated",
    ofSupabase: true,
    tenants: null,
    claims: USUAL_CLAIMS,
  };
  const found: TrustAnchor[] = [];
  if (AUTH_JWT_SECRET)
    found.push({
      algorithms: ["HS256"],
      key: new TextEncoder().encode(AUTH_JWT_SECRET),
      ...provider,
    });
  if (AUTH_JWT_JWKS_URL)
    found.push({ algorithms: ["RS256"], key: remoteKeys(new URL(AUTH_JWT_JWKS_URL)), ...provider });
  if (AUTH_JWT_PUBLIC_KEY) {
    found.push({
      algorithms: ["RS256"],
      key: await importSPKI(AUTH_JWT_PUBLIC_KEY.replaceAll("\\n", "\n"), "RS256"),
      ...provider,
    });
  }
  found.push({
    algorithms: ["HS256"],
    key: new TextEncoder().encode(rest.SUPABASE_JWT_SECRET),
    ...supabase,
  });
  found.push({
    algorithms: ["ES256", "RS256"],
    key: remoteKeys(new URL(`${supabase.issuer}/.well-known/jwks.json`)),
    ...supabase,
  });
  return found;
}
