import { expect, test } from "vitest";
import { oidcProviders, requireTrustVariables } from "./auth-config.ts";

const provider = (id: string) => ({
  [`OIDC_${id}_ISSUER`]: `https://${id.toLowerCase()}.example`,
  [`OIDC_${id}_CLIENT_ID`]: "tieout",
  [`OIDC_${id}_CLIENT_SECRET`]: "secret",
});
const jwks = {
  AUTH_JWT_JWKS_URL: "https://idp.example/jwks",
  AUTH_JWT_ISSUER: "https://idp.example",
  AUTH_JWT_AUDIENCE: "tieout",
};

test.each<[what: string, variables: Record<string, string>]>([
  ["nothing", {}],
  ["a JWKS with issuer and audience", jwks],
  ["a JWKS on this machine", { ...jwks, AUTH_JWT_JWKS_URL: "http://127.0.0.1:8080/jwks" }],
  ["tenants, named", { AUTH_JWT_TENANTS: "acme, globex" }],
  ["one provider", { OIDC_PROVIDERS: "okta", ...provider("OKTA") }],
  [
    "two providers with their tenants",
    {
      OIDC_PROVIDERS: "okta,azure-ad",
      ...provider("OKTA"),
      ...provider("AZURE_AD"),
      OIDC_OKTA_TENANTS: "*",
      OIDC_AZURE_AD_TENANTS: "acme",
    },
  ],
])("accepts %s at the start", (_what, variables) => {
  expect(() => requireTrustVariables(variables)).not.toThrow();
});

test.each<[what: string, variables: Record<string, string>, message: string]>([
  [
    "a JWKS without issuer",
    { ...jwks, AUTH_JWT_ISSUER: "" },
    "AUTH_JWT_ISSUER is required with AUTH_JWT_JWKS_URL",
  ],
  [
    "a JWKS without audience",
    { ...jwks, AUTH_JWT_AUDIENCE: "" },
    "AUTH_JWT_AUDIENCE is required with AUTH_JWT_JWKS_URL",
  ],
  [
    "a key without audience",
    { AUTH_JWT_PUBLIC_KEY: "-----BEGIN…", AUTH_JWT_ISSUER: "https://idp.example" },
    "AUTH_JWT_AUDIENCE is required",
  ],
  [
    "a JWKS at http",
    { ...jwks, AUTH_JWT_JWKS_URL: "http://idp.example/jwks" },
    "AUTH_JWT_JWKS_URL must be an https address",
  ],
  [
    "a JWKS at a host that looks like this machine",
    { ...jwks, AUTH_JWT_JWKS_URL: "http://127.0.0.1.evil.example/" },
    "must be an https address",
  ],
  ["our own issuer", { AUTH_JWT_ISSUER: "tieout-internal" }, "AUTH_JWT_ISSUER is the server's own"],
  [
    "an invalid tenant",
    { AUTH_JWT_TENANTS: "acme,*" },
    'AUTH_JWT_TENANTS must be tenants, comma-separated, or * for every tenant; "*" is none',
  ],
  ["a list with nothing in it", { AUTH_JWT_TENANTS: "," }, "AUTH_JWT_TENANTS must be tenants"],
  [
    "an invalid maximum age",
    { AUTH_JWT_MAX_AGE_SECONDS: "0" },
    "AUTH_JWT_MAX_AGE_SECONDS must be a whole number of seconds",
  ],
  ["a level that is none", { AUTH_REQUIRED_AAL: "2" }, "AUTH_REQUIRED_AAL must be aal1 or aal2"],
  [
    "a provider without its secret",
    { OIDC_PROVIDERS: "okta", ...provider("OKTA"), OIDC_OKTA_CLIENT_SECRET: "" },
    "OIDC_OKTA_CLIENT_SECRET is not set",
  ],
  [
    "a provider at http",
    { OIDC_PROVIDERS: "okta", ...provider("OKTA"), OIDC_OKTA_ISSUER: "http://okta.example" },
    "OIDC_OKTA_ISSUER must be an https address",
  ],
  [
    "two providers without a list of tenants",
    { OIDC_PROVIDERS: "okta,auth0", ...provider("OKTA"), ...provider("AUTH0") },
    "OIDC_OKTA_TENANTS is not set",
  ],
  [
    "a provider with the name of our own sign-in",
    { OIDC_PROVIDERS: "password", ...provider("PASSWORD") },
    '"password" is not one',
  ],
  ["a provider twice", { OIDC_PROVIDERS: "okta,okta", ...provider("OKTA") }, '"okta" is not one'],
])("refuses %s at the start", (_what, variables, message) => {
  expect(() => requireTrustVariables(variables)).toThrow(message);
});

test("reads a provider's tenants and claims", () => {
  const variables = {
    OIDC_PROVIDERS: "okta",
    ...provider("OKTA"),
    OIDC_OKTA_TENANTS: "acme,globex",
    OIDC_OKTA_TENANTS_CLAIM: "https://x/t",
  };
  expect(oidcProviders(variables)).toMatchObject([
    {
      id: "okta",
      tenants: new Set(["acme", "globex"]),
      claims: { tenants: "https://x/t", roles: "roles" },
    },
  ]);
});
