import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { PRODUCT, PRODUCT_ID } from "#lib/wire/product.ts";
import { requireTrustVariables } from "../lib/runtime/auth-config.ts";
import { hostList } from "../lib/runtime/env.ts";
import { publicBytesOf } from "../lib/security-events/signing-keys.ts";
import { type Quotas, readQuotas } from "./quotas.ts";

export class SettingsError extends Error {}

type Environment = Record<string, string | undefined>;

const SUPABASE_VARIABLES = [
  "SUPABASE_URL",
  "SUPABASE_PUBLISHABLE_KEY",
  "SUPABASE_SECRET_KEY",
  "SUPABASE_JWT_SECRET",
  "DATABASE_URL",
] as const;

const MAX_PROCESSES = 64;

/**
 * Background processes by kind, with the variable for their number and the file that calls
 * `runInBackground`.
 */
const BACKGROUND = [
  ["worker", "WORKER_CONCURRENCY", "worker/main.ts"],
  ["matcher", "MATCHER_CONCURRENCY", "worker/matcher/main.ts"],
] as const;

const token = (bytes: number) => randomBytes(bytes).toString("base64url");

const SECRETS = {
  AUTH_JWT_SECRET: () => token(48),
  SUPABASE_JWT_SECRET: () => token(48),
  SUPABASE_PUBLISHABLE_KEY: () => `sb_publishable_${token(24)}`,
  SUPABASE_SECRET_KEY: () => `sb_secret_${token(24)}`,
  NEXTAUTH_SECRET: () => token(48),
  ENCRYPTION_KEYS: () => randomBytes(32).toString("base64"),
  AUDIT_SIGNING_KEY: () => randomBytes(32).toString("base64"),
  POSTGRES_ADMIN_PASSWORD: () => token(24),
  POSTGRES_PASSWORD: () => token(24),
  POSTGRES_AUTHENTICATOR_PASSWORD: () => token(24),
  POSTGRES_AUTH_ADMIN_PASSWORD: () => token(24),
};

export type Secrets = Record<keyof typeof SECRETS, string>;

export type Settings = {
  port: number;
  dataDir: string;
  secrets: Secrets;
  /** The variables that configure every process of the application. */
  env: Record<string, string>;
  /** Whether the local stack is started; false if the environment names a Supabase project. */
  local: boolean;
  webs: number;
  background: { kind: (typeof BACKGROUND)[number][0]; file: string; processes: number }[];
  /**
   * The metrics port of the first background process; each further process has the next port. Null:
   * no metrics port.
   */
  metricsPort: number | null;
  quotas: Quotas;
};

export function dataDirOf(env: Environment): string {
  return resolve(env.DATA_DIR || ".data");
}

/** Reads DATA_DIR/secrets.json and adds missing secrets. */
function ensureSecrets(dataDir: string): Secrets {
  const file = join(dataDir, "secrets.json");
  const stored: Partial<Secrets> = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const secrets = Object.fromEntries(
    Object.entries(SECRETS).map(([name, make]) => [name, stored[name as keyof Secrets] ?? make()]),
  ) as Secrets;
  const text = `${JSON.stringify(secrets, null, 2)}\n`;
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return secrets;
}

export function readSettings(env: Environment = process.env): Settings {
  const port = readPort(env.PORT);
  const dataDir = dataDirOf(env);
  const local = !env.SUPABASE_URL;
  if (!local) requireSupabase(env);
  const secrets = ensureSecrets(dataDir);
  const settings: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value) settings[name] = value;
  for (const [name, value] of Object.entries(secrets)) {
    if (!name.startsWith("POSTGRES_")) settings[name] ??= value;
  }
  requireLong(settings, "AUTH_JWT_SECRET", "sign tokens");
  if (settings.METRICS_TOKEN) requireLong(settings, "METRICS_TOKEN", "read the metrics");
  asSettingsError(() => requireTrustVariables(settings));
  const { error } = hostList.safeParse(settings.WEBHOOK_ALLOW_HOSTS);
  if (error) throw new SettingsError(`WEBHOOK_ALLOW_HOSTS ${error.issues[0]?.message}.`);
  if (!local) requireHttps(settings);
  const webs = readCount(settings, "WEB_CONCURRENCY");
  const background = BACKGROUND.map(([kind, name, file]) => ({
    kind,
    file,
    processes: readCount(settings, name),
  }));
  requireAnyProcess(webs, background);
  if (local) refusePartialStack(env, webs, background);
  else requireShared(env, webs, background);
  settings.AUDIT_PUBLIC_KEYS ??= publicKeysOf(settings.AUDIT_SIGNING_KEY ?? "");
  settings.NEXTAUTH_URL ??= `http://localhost:${port}`;
  // A local stack is for evaluation, so only this machine can reach it.
  if (local) settings.HOST ??= "127.0.0.1";
  if (local) delete settings.DIRECT_URL;
  requireMail(settings);
  settings.MAIL_FROM ??= `${PRODUCT} <${PRODUCT_ID}@localhost>`;
  settings.MAIL_DIR ??= join(dataDir, "mail");
  settings.PORT = String(port);
  settings.DATA_DIR = dataDir;
  if (local) settings.DATABASE_DISK ??= dataDir;
  const quotas = asSettingsError(() => readQuotas(settings));
  const metricsPort = env.METRICS_PORT ? readPort(env.METRICS_PORT, "METRICS_PORT") : null;
  return { port, dataDir, secrets, env: settings, local, webs, background, metricsPort, quotas };
}

function requireLong(settings: Record<string, string>, name: string, threat: string): void {
  if (Buffer.byteLength(settings[name] ?? "") >= 32) return;
  const advice =
    name in SECRETS ? "Give a longer one, or none to have one made." : "Give a longer one.";
  throw new SettingsError(
    `${name} is shorter than 32 bytes: anyone could guess it and ${threat}. ${advice}`,
  );
}

/** Mail servers reject mail without a sender's address or treat it as spam. */
function requireMail({ SMTP_URL, MAIL_FROM }: Record<string, string>): void {
  if (SMTP_URL !== undefined && !/^smtps?:\/\/[^/\s]+\/?$/.test(SMTP_URL))
    throw new SettingsError(
      "SMTP_URL must be smtp://user:password@host:port, or smtps:// for TLS from the first byte.",
    );
  if (
    MAIL_FROM !== undefined &&
    !/^[^\r\n<>]*<[^\s<>@]+@[^\s<>@]+>$|^[^\s<>@]+@[^\s<>@]+$/.test(MAIL_FROM)
  )
    throw new SettingsError(
      `MAIL_FROM must be an address, for example ${PRODUCT} <${PRODUCT_ID}@example.com>.`,
    );
  if (SMTP_URL !== undefined && MAIL_FROM === undefined)
    throw new SettingsError(
      "MAIL_FROM must be set with SMTP_URL: the address that mail is sent from.",
    );
}

/** Session cookies are only safe on https. A project on this machine is for evaluation. */
function requireHttps({ SUPABASE_URL = "", NEXTAUTH_URL }: Record<string, string>): void {
  const isHere =
    URL.canParse(SUPABASE_URL) &&
    /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(SUPABASE_URL).hostname);
  if (isHere || NEXTAUTH_URL?.startsWith("https://")) return;
  throw new SettingsError(
    "NEXTAUTH_URL has to be the dashboard's https address with a hosted Supabase project: its " +
      "cookies are safe on https only.",
  );
}

function publicKeysOf(signingKeys: string): string {
  const seeds = signingKeys.split(",").map((key) => Buffer.from(key.trim(), "base64"));
  if (!seeds.every(({ length }) => length === 32))
    throw new SettingsError("AUDIT_SIGNING_KEY must be base64 of 32 bytes each, comma-separated.");
  return seeds.map((seed) => publicBytesOf(seed).toString("base64")).join(",");
}

function readCount(settings: Record<string, string>, name: string): number {
  const count = Number(settings[name] || 1);
  if (Number.isInteger(count) && count >= 0 && count <= MAX_PROCESSES) return count;
  throw new SettingsError(
    `${name} is "${settings[name]}", which is not a ` +
      `number of processes from 0 to ${MAX_PROCESSES}.`,
  );
}

type Background = Settings["background"];

function requireAnyProcess(webs: number, background: Background): void {
  if (webs > 0 || background.some(({ processes }) => processes > 0)) return;
  throw new SettingsError(
    "WEB_CONCURRENCY, WORKER_CONCURRENCY and MATCHER_CONCURRENCY are all 0: there is nothing " +
      "to start.",
  );
}

const runsEveryKind = (webs: number, background: Background) =>
  webs > 0 && background.every(({ processes }) => processes > 0);

/**
 * A worker that is added to an existing database must not start its own empty one, where it would
 * look healthy and do nothing.
 */
function refusePartialStack(
  { DATABASE_URL }: Environment,
  webs: number,
  background: Background,
): void {
  if (!DATABASE_URL || runsEveryKind(webs, background)) return;
  throw new SettingsError(
    "DATABASE_URL is set without SUPABASE_URL, and this machine runs " +
      `only some of the processes. Set ${SUPABASE_VARIABLES.join(", ")} ` +
      "to join the others, or unset DATABASE_URL to start a local stack.",
  );
}

/**
 * Machines that share the work must share secrets, because one machine couldn't decrypt what
 * another encrypted with a different key.
 */
function requireShared(env: Environment, webs: number, background: Background): void {
  const runs = (kind: string) =>
    background.some((item) => item.kind === kind && item.processes > 0);
  if (runsEveryKind(webs, background)) return;
  const needed = [
    ...(webs > 0
      ? [
          "NEXTAUTH_SECRET",
          "ENCRYPTION_KEYS",
          env.AUDIT_PUBLIC_KEYS ? "AUDIT_PUBLIC_KEYS" : "AUDIT_SIGNING_KEY",
        ]
      : []),
    ...(runs("worker") ? ["ENCRYPTION_KEYS", "AUDIT_SIGNING_KEY"] : []),
  ];
  const missing = [...new Set(needed)].filter((name) => !env[name]);
  if (missing.length === 0) return;
  throw new SettingsError(
    `${missing.join(", ")} must be set where a machine runs only some of the processes: every ` +
      "machine needs the same ones.",
  );
}

function asSettingsError<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new SettingsError((error as Error).message);
  }
}

function readPort(value: string | undefined, name = "PORT"): number {
  const port = Number(value || 3000);
  if (Number.isInteger(port) && port > 0 && port < 65536) return port;
  throw new SettingsError(`${name} is "${value}", which is not a port number.`);
}

function requireSupabase(env: Environment): void {
  const missing = SUPABASE_VARIABLES.filter((name) => !env[name]);
  if (missing.length === 0) return;
  throw new SettingsError(
    `SUPABASE_URL names a Supabase project, but ${missing.join(", ")} ` +
      `${missing.length > 1 ? "are" : "is"} missing. Set all five, or ` +
      "unset SUPABASE_URL to start the local stack.",
  );
}
