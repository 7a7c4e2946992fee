import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSettings } from "./settings.ts";

let DATA_DIR: string;
beforeEach(() => {
  DATA_DIR = mkdtempSync(join(tmpdir(), "tieout-settings-"));
});
afterEach(() => rmSync(DATA_DIR, { recursive: true }));

test("secrets are made once, are long, and only their owner can read them", () => {
  const first = readSettings({ DATA_DIR });
  expect(readSettings({ DATA_DIR }).secrets).toEqual(first.secrets);
  for (const secret of Object.values(first.secrets)) expect(secret.length).toBeGreaterThanOrEqual(32);
  expect(statSync(join(DATA_DIR, "secrets.json")).mode & 0o777).toBe(0o600);
});

test("the encryption key is 32 bytes", () => {
  expect(Buffer.from(readSettings({ DATA_DIR }).env.ENCRYPTION_KEYS ?? "", "base64")).toHaveLength(32);
});

test("a variable wins over the secret that was made, and is not written down", () => {
  const NEXTAUTH_SECRET = "given by the environment, long enough";
  expect(readSettings({ DATA_DIR, NEXTAUTH_SECRET }).env.NEXTAUTH_SECRET).toBe(NEXTAUTH_SECRET);
  expect(readFileSync(join(DATA_DIR, "secrets.json"), "utf8")).not.toContain(NEXTAUTH_SECRET);
});

test("an empty variable counts as none", () => {
  const { env, local, port } = readSettings({ DATA_DIR, SUPABASE_URL: "", PORT: "", AUTH_JWT_SECRET: "" });
  expect({ local, port, secret: env.AUTH_JWT_SECRET?.length }).toEqual({ local: true, port: 3000, secret: 64 });
});

test("database passwords stay out of the parts' variables", () => {
  expect(Object.keys(readSettings({ DATA_DIR }).env).filter((name) => name.startsWith("POSTGRES_"))).toEqual([]);
});
