import { randomBytes } from "node:crypto";
import { SignJWT } from "jose";
import { beforeAll, expect, test, vi } from "vitest";
import { ApiError } from "../wire/errors.ts";

const SECRET = randomBytes(32).toString("base64");
const NOW = Math.floor(Date.now() / 1000);
const SOUND = {
  sub: "ada",
  iss: "https://idp.example",
  aud: "tieout",
  iat: NOW,
  exp: NOW + 300,
  tenants: { acme: ["tenant_admin"] },
};

let verifyCredential: typeof import("./credential.ts").verifyCredential;

beforeAll(async () => {
  vi.resetModules();
  const secret = () => randomBytes(32).toString("base64");
  const environment = {
    NEXTAUTH_URL: "http://localhost:1",
    NEXTAUTH_SECRET: secret(),
    SUPABASE_URL: "http://localhost:1",
    SUPABASE_PUBLISHABLE_KEY: "publishable",
    SUPABASE_SECRET_KEY: "service role",
    SUPABASE_JWT_SECRET: secret(),
    ENCRYPTION_KEYS: secret(),
    AUDIT_SIGNING_KEY: secret(),
    AUTH_JWT_SECRET: SECRET,
    AUTH_JWT_ISSUER: SOUND.iss,
    AUTH_JWT_AUDIENCE: SOUND.aud,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  ({ verifyCredential } = await import("./credential.ts"));
});

const signed = (claims: object, secret = SECRET) =>
  new SignJWT({ ...SOUND, ...claims })
    .setProtectedHeader({ alg: "HS256" })
    .sign(new TextEncoder().encode(secret));

async function refusalOf(bearer: string) {
  const headers = { authorization: `Bearer ${bearer}` };
  const error = await verifyCredential(new Request("http://localhost/v1/me", { headers })).then(
    () => null,
    (refused: unknown) => refused,
  );
  if (!(error instanceof ApiError)) throw new Error(`It is not refused: ${error}`);
  expect(error.code).toBe("unauthenticated");
  const challenge = String(error.headers["WWW-Authenticate"]);
  expect(challenge).toContain('error="invalid_token"');
  return { challenge, detail: error.message, cause: error.cause };
}

test.each([
  ["expired", { exp: NOW - 61, iat: NOW - 400 }, /expired \(exp\)/],
  ["valid only later", { nbf: NOW + 90 }, /not valid yet \(nbf\)/],
  ["by another issuer", { iss: "https://other.example" }, /issuer \(iss\)/],
  ["without an issuer", { iss: undefined }, /issuer \(iss\)/],
  ["for another audience", { aud: "other" }, /audience \(aud\)/],
  ["without an audience", { aud: undefined }, /audience \(aud\)/],
  ["without an expiry", { exp: undefined }, /no expiry \(exp\)/],
  ["without a subject", { sub: undefined }, /no subject \(sub\)/],
  ["valid for too long", { exp: NOW + 2 * 86_400 }, /lifetime.*\(exp, iat\)/],
  ["issued in the future", { iat: NOW + 90, exp: NOW + 200 }, /issued in the future/],
])("a token that is %s is refused with that reason, counted by its issuer", async (...of) => {
  const [, claims, reason] = of;
  const { challenge, cause } = await refusalOf(await signed(claims));
  expect(challenge).toMatch(new RegExp(`error_description="[^"]*${reason.source}`));
  const issuer = "iss" in claims ? claims.iss : SOUND.iss;
  expect(cause).toMatchObject({ about: issuer === undefined ? {} : { issuer } });
});

test("a token with another signature is refused with that reason", async () => {
  const { challenge } = await refusalOf(await signed({}, randomBytes(32).toString("base64")));
  expect(challenge).toMatch(/error_description="[^"]*signature/);
});

test("a token that lives too long says how long one may", async () => {
  const { detail } = await refusalOf(await signed({ exp: NOW + 2 * 86_400 }));
  expect(detail).toContain("at most 86400 s");
});

test.each(["opaque", "a.b.c", "tk_short.tks_short", "a".repeat(9000)])(
  "a credential that nobody issued is an invalid token: %.20s",
  async (bearer) => {
    await refusalOf(bearer);
  },
);
