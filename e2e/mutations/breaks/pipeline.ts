import type { Break } from "../break.ts";

const REFUSALS = "e2e/api/contracts/refusals.test.ts";
const BAD_REQUESTS = "e2e/api/contracts/bad-requests.test.ts";
const CREDENTIALS = "e2e/api/credentials.test.ts";
const LIFECYCLE = "e2e/api/api-keys/lifecycle.test.ts";

/** The way of a request to /v1: credential, tenant, role, input, answer. */
export const PIPELINE: Break[] = [
  {
    name: "conflict-is-400",
    effect: "a status code changed",
    patch: {
      file: "lib/wire/errors.ts",
      replace: "conflict: { status: 409,",
      by: "conflict: { status: 400,",
    },
    killedBy: {
      file: LIFECYCLE,
      name: "refuses a revoked, an expired and an already rotated key with 409",
    },
  },
  {
    name: "scope-not-asked-for",
    effect: "an API key calls what it has no scope for",
    patch: {
      file: "lib/auth/authorize.ts",
      replace: "if (!allows(access, principal)) throw",
      by: 'if (principal.type !== "api_key" && !allows(access, principal)) throw',
    },
    killedBy: { file: REFUSALS, name: "listExceptions only API keys with its scope may call it" },
  },
  {
    name: "service-key-in-browsers",
    effect: "a page may send the key that opens every tenant",
    patch: {
      file: "lib/http/authenticate.ts",
      replace: '["origin", "sec-fetch-site", "sec-fetch-dest", "sec-fetch-user"]',
      by: '["sec-fetch-user"]',
    },
    killedBy: { file: REFUSALS, name: "listExceptions the service-role key in a browser is 403" },
  },
  {
    name: "addresses-not-checked",
    effect: "a key works from anywhere",
    patch: {
      file: "lib/http/authenticate.ts",
      replace: "requireAddress(identity, caller.address);",
      by: "void requireAddress;",
    },
    killedBy: { file: "e2e/api/docs/errors.test.ts", name: "ip_not_allowed" },
  },
  {
    name: "path-of-another-tenant",
    effect: "the tenant of the path need not be the header's",
    patch: {
      file: "lib/http/authenticate.ts",
      replace: "requireSameTenant(contract, caller, tenantId);",
      by: "void requireSameTenant;",
    },
    killedBy: {
      file: "e2e/api/api-keys/verify.test.ts",
      name: "refuses a path whose tenant differs from X-Tenant-Id",
    },
  },
  {
    name: "token-without-end",
    effect: "a token without exp is believed",
    patch: {
      file: "lib/auth/verify-jwt.ts",
      replace: 'requiredClaims: ["exp"],',
      by: "requiredClaims: [],",
    },
    killedBy: {
      file: "lib/auth/refused-tokens.test.ts",
      name: "a token that is without an expiry is refused with that reason",
    },
  },
  {
    name: "internal-token-believed",
    effect: "what the server signs for its database client is a credential",
    patch: {
      file: "lib/auth/verify-jwt.ts",
      replace: "if (iss === INTERNAL_ISSUER) return false;",
      by: 'if (iss === INTERNAL_ISSUER && iss === "") return false;',
    },
    killedBy: {
      file: CREDENTIALS,
      name: "is refused if the server signed it for its own database client",
    },
  },
  {
    name: "user-metadata-believed",
    effect: "users write their own tenants",
    patch: {
      file: "lib/auth/claims.ts",
      replace: "isRecord(claims.app_metadata) ? claims.app_metadata : {}",
      by: "isRecord(claims.app_metadata) ? claims.app_metadata : isRecord(claims.user_metadata) ? claims.user_metadata : {}",
    },
    killedBy: {
      file: CREDENTIALS,
      name: "reads tenants as an array next to roles, and never in user_metadata",
    },
  },
  {
    name: "algorithms-confused",
    effect: "the audience of a token is not checked",
    patch: {
      file: "lib/auth/verify-jwt.ts",
      replace: "audience: anchor.audience,",
      by: "audience: undefined,",
    },
    killedBy: {
      file: "e2e/api/trust-anchors.test.ts",
      name: "check issuer and audience if configured",
    },
  },
  {
    name: "key-of-another-tenant",
    effect: "a key opens every tenant",
    patch: {
      file: "lib/auth/principal.ts",
      replace: "if (identity.key.tenantId === tenantId)",
      by: "if (identity.key.tenantId)",
    },
    killedBy: {
      file: "e2e/api/security-events/sources.test.ts",
      name: "a key used on another tenant is recorded for both, and reveals nothing",
    },
  },
  {
    name: "keys-believed-for-long",
    effect: "a revocation is seen after nine seconds",
    patch: {
      file: "lib/api-keys/key-cache.ts",
      replace: "const CACHE_MS = 900;",
      by: "const CACHE_MS = 9_000;",
    },
    killedBy: {
      file: LIFECYCLE,
      name: "refuses the next call here at once, and every call elsewhere within a second",
    },
  },
  {
    name: "grace-never-over",
    effect: "the old key works after its grace period",
    patch: {
      file: "lib/api-keys/verify-api-key.ts",
      replace: "if (revoked || passed(grace_expires_at))",
      by: "if (revoked)",
    },
    killedBy: {
      file: "lib/api-keys/verify-api-key.test.ts",
      name: "a key is revoked once its grace period is over, before a worker records it",
    },
  },
  {
    name: "expiry-ignored",
    effect: "an expired key works",
    patch: {
      file: "lib/api-keys/verify-api-key.ts",
      replace: 'if (passed(expires_at)) return "expired";',
      by: "void expires_at;",
    },
    killedBy: {
      file: "lib/api-keys/verify-api-key.test.ts",
      name: "a key is expired, before a worker records it",
    },
  },
  {
    name: "secret-stored",
    effect: "the database has the secret of a key",
    patch: {
      file: "lib/api-keys/issue-secret.ts",
      replace: "const secret = {\n    key_id: minted.keyId,",
      by: "const secret = { description: minted.secret, key_id: minted.keyId,",
    },
    killedBy: {
      file: "e2e/api/api-keys/issue.test.ts",
      name: "keeps nothing from which the secret can be read, even for retries",
    },
  },
  {
    name: "counts-lost-at-stop",
    effect: "what a process counted goes with it",
    patch: {
      file: "lib/runtime/batching-counter.ts",
      replace: "onShutdown(() => this.flush());",
      by: "void onShutdown;",
    },
    killedBy: {
      file: "e2e/api/api-keys/usage.test.ts",
      name: "is not lost when the process is stopped",
    },
  },
  {
    name: "bodies-of-any-size",
    effect: "a body that is too large is another's fault",
    patch: {
      file: "lib/http/json.ts",
      replace: "if (size > maxBytes) throw tooLarge(maxBytes);",
      by: "",
    },
    killedBy: {
      file: BAD_REQUESTS,
      name: "createException a body of one byte over the limit is 413",
    },
  },
  {
    name: "cause-told",
    effect: "an error tells what the database said",
    patch: {
      file: "lib/wire/errors.ts",
      replace: '"Something went wrong on our side. It was logged under this request ID."',
      by: "`Something went wrong: ${JSON.stringify(cause)}`",
    },
    killedBy: {
      file: "e2e/api/api-keys/issue.test.ts",
      name: "changes nothing if the audit row can't be written, and hides the cause",
    },
  },
  {
    name: "session-from-elsewhere",
    effect: "a page of another site acts with the session",
    patch: {
      file: "lib/auth/session.ts",
      replace: 'return site === "same-origin";',
      by: 'return site !== "none";',
    },
    killedBy: { file: "e2e/api/sign-in.test.ts", name: "is accepted only from our own pages" },
  },
  {
    name: "signed-in-elsewhere",
    effect: "signing in leads to another origin",
    patch: {
      file: "lib/auth/callback-path.ts",
      replace:
        " &&\n    URL.canParse(path, origin) &&\n    new URL(path, origin).href === url.href",
      by: "",
    },
    killedBy: { file: "lib/auth/callback-path.test.ts", name: "/.//evil.example" },
  },
  {
    name: "formulas-exported",
    effect: "a spreadsheet runs what a caller wrote",
    patch: {
      file: "lib/wire/csv-injection.ts",
      replace: 'return text.replace(FORMULA, "\'");',
      by: 'return text.replace(FORMULA, "");',
    },
    killedBy: {
      file: "e2e/api/sla/monitor.test.ts",
      name: "exports everything under the filters as CSV or NDJSON, and is recorded",
    },
  },
  {
    name: "frames-allowed",
    effect: "another site shows our pages in a frame",
    patch: { file: "proxy.ts", replace: "\"frame-ancestors 'none'\",", by: "" },
    killedBy: {
      file: "e2e/api/pages/access.test.ts",
      name: "pages carry their security headers, and a nonce that is new each time",
    },
  },
  {
    name: "webhooks-shown-to-leads",
    effect: "a page shows what is an admin's",
    patch: {
      file: "components/kit/role-page.tsx",
      replace: "if (useIsAllowed(access)) return children;",
      by: "if (useIsAllowed(access) || tenant) return children;",
    },
    killedBy: {
      file: "e2e/api/pages/access.test.ts",
      name: "a tenant_lead reads who may see /webhooks, but none of its content",
    },
  },
];
