import { sign, verify } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { privateKeyOf, verifyingKeyOf } from "../lib/security-events/signing-keys.ts";
import { readSettings } from "./settings.ts";

let DATA_DIR: string;
beforeEach(() => {
  DATA_DIR = mkdtempSync(join(tmpdir(), "tieout-settings-"));
});
afterEach(() => rmSync(DATA_DIR, { recursive: true }));

test("creates long secrets once, which only their owner can read", () => {
  const first = readSettings({ DATA_DIR });
  expect(readSettings({ DATA_DIR }).secrets).toEqual(first.secrets);
  for (const secret of Object.values(first.secrets))
    expect(secret.length).toBeGreaterThanOrEqual(32);
  expect(statSync(join(DATA_DIR, "secrets.json")).mode & 0o777).toBe(0o600);
});

test("creates an encryption key of 32 bytes", () => {
  expect(Buffer.from(readSettings({ DATA_DIR }).env.ENCRYPTION_KEYS ?? "", "base64")).toHaveLength(
    32,
  );
});

test("prefers a variable to the stored secret and does not store it", () => {
  const NEXTAUTH_SECRET = "given by the environment, long enough";
  expect(readSettings({ DATA_DIR, NEXTAUTH_SECRET }).env.NEXTAUTH_SECRET).toBe(NEXTAUTH_SECRET);
  expect(readFileSync(join(DATA_DIR, "secrets.json"), "utf8")).not.toContain(NEXTAUTH_SECRET);
});

test("treats an empty variable as missing", () => {
  const { env, local, port } = readSettings({
    DATA_DIR,
    SUPABASE_URL: "",
    PORT: "",
    AUTH_JWT_SECRET: "",
  });
  expect({ local, port, secret: env.AUTH_JWT_SECRET?.length }).toEqual({
    local: true,
    port: 3000,
    secret: 64,
  });
});

test("binds a local stack to this machine, and a Supabase project's to all addresses", () => {
  const project = Object.fromEntries(
    ["PUBLISHABLE_KEY", "SECRET_KEY", "JWT_SECRET"].map((name) => [
      `SUPABASE_${name}`,
      "x".repeat(32),
    ]),
  );
  const hosted = {
    ...project,
    SUPABASE_URL: "https://p.supabase.example",
    DATABASE_URL: "x",
    NEXTAUTH_URL: "https://tieout.example",
  };
  expect(readSettings({ DATA_DIR }).env.HOST).toBe("127.0.0.1");
  expect(readSettings({ DATA_DIR, HOST: "0.0.0.0" }).env.HOST).toBe("0.0.0.0");
  expect(readSettings({ DATA_DIR, ...hosted }).env.HOST).toBeUndefined();
});

test("derives the public audit keys from the signing keys", () => {
  const { AUDIT_SIGNING_KEY = "", AUDIT_PUBLIC_KEYS = "" } = readSettings({ DATA_DIR }).env;
  const [signing, verifying] = [AUDIT_SIGNING_KEY, AUDIT_PUBLIC_KEYS].map((key) =>
    Buffer.from(key, "base64"),
  );
  const message = Buffer.from("a checkpoint");
  const signature = sign(null, message, privateKeyOf(signing ?? Buffer.of()));
  expect(verify(null, message, verifyingKeyOf(verifying ?? Buffer.of()).publicKey, signature)).toBe(
    true,
  );
  expect(
    readSettings({ DATA_DIR, AUDIT_SIGNING_KEY: `${AUDIT_SIGNING_KEY},${AUDIT_SIGNING_KEY}` }).env
      .AUDIT_PUBLIC_KEYS,
  ).toBe(`${AUDIT_PUBLIC_KEYS},${AUDIT_PUBLIC_KEYS}`);
});

test("keeps database passwords out of the processes' variables", () => {
  expect(
    Object.keys(readSettings({ DATA_DIR }).env).filter((name) => name.startsWith("POSTGRES_")),
  ).toEqual([]);
});

test("runs only some processes only with the shared secrets, and refuses to run none", () => {
  const project = Object.fromEntries(
    ["PUBLISHABLE_KEY", "SECRET_KEY", "JWT_SECRET"].map((name) => [
      `SUPABASE_${name}`,
      "x".repeat(32),
    ]),
  );
  const hosted = {
    ...project,
    SUPABASE_URL: "https://p.supabase.example",
    DATABASE_URL: "x",
    NEXTAUTH_URL: "https://tieout.example",
  };
  const web = { DATA_DIR, ...hosted, WORKER_CONCURRENCY: "0", MATCHER_CONCURRENCY: "0" };
  const { ENCRYPTION_KEYS, NEXTAUTH_SECRET, AUDIT_SIGNING_KEY, AUDIT_PUBLIC_KEYS } = readSettings({
    DATA_DIR,
  }).env;
  expect(() => readSettings({ ...web, ENCRYPTION_KEYS })).toThrow(
    /^NEXTAUTH_SECRET, AUDIT_SIGNING_KEY must be set/,
  );
  expect(readSettings({ ...web, ENCRYPTION_KEYS, NEXTAUTH_SECRET, AUDIT_PUBLIC_KEYS }).webs).toBe(
    1,
  );
  const worker = { DATA_DIR, ...hosted, WEB_CONCURRENCY: "0", MATCHER_CONCURRENCY: "0" };
  expect(() => readSettings({ ...worker, ENCRYPTION_KEYS, AUDIT_PUBLIC_KEYS })).toThrow(
    /^AUDIT_SIGNING_KEY must be set/,
  );
  expect(readSettings({ ...worker, ENCRYPTION_KEYS, AUDIT_SIGNING_KEY }).webs).toBe(0);
  expect(
    readSettings({ DATA_DIR, ...hosted, WEB_CONCURRENCY: "0", WORKER_CONCURRENCY: "0" }).webs,
  ).toBe(0);
  expect(() => readSettings({ ...worker, WORKER_CONCURRENCY: "0" })).toThrow(/nothing to start/);
});

test("refuses a database without a project for a machine that only runs workers", () => {
  const worker = { DATA_DIR, WEB_CONCURRENCY: "0", MATCHER_CONCURRENCY: "0" };
  expect(() => readSettings({ ...worker, DATABASE_URL: "x" })).toThrow(
    /^DATABASE_URL is set without SUPABASE_URL/,
  );
  expect(readSettings(worker).local).toBe(true);
  expect(readSettings({ DATA_DIR, DATABASE_URL: "x" }).local).toBe(true);
});
