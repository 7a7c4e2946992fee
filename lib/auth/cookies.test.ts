import { randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";

async function cookiesAt(origin: string) {
  vi.resetModules();
  const secret = () => randomBytes(32).toString("base64");
  const environment = {
    NEXTAUTH_URL: origin,
    NEXTAUTH_SECRET: secret(),
    SUPABASE_URL: "http://localhost:1",
    SUPABASE_PUBLISHABLE_KEY: "key",
    SUPABASE_SECRET_KEY: "key",
    SUPABASE_JWT_SECRET: secret(),
    ENCRYPTION_KEYS: secret(),
    AUDIT_SIGNING_KEY: secret(),
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const { signInOptions } = await import("./sign-in.ts");
  return Object.values(signInOptions(new Headers()).cookies ?? {});
}

test("on https, every session cookie is bound to its host and hidden from scripts", async () => {
  const cookies = await cookiesAt("https://tieout.example");
  expect(cookies).toHaveLength(6);
  for (const { name, options } of cookies) {
    expect(name).toMatch(/^__Host-tieout\./);
    expect(options).toMatchObject({ secure: true, httpOnly: true, sameSite: "lax", path: "/" });
    expect(options).not.toHaveProperty("domain");
  }
});

test("on plain http, cookies have names without the __Host- prefix", async () => {
  for (const { name, options } of await cookiesAt("http://localhost:3000")) {
    expect(name).toMatch(/^tieout\./);
    expect(options.secure).toBe(false);
  }
});
