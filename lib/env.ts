/** The server's configuration: the same variables on every kind of stack. Read once; a bad value stops the start. */
import { z } from "zod";

const whole = z.string().regex(/^\d+$/, "must be a whole number").transform(Number);
const secret32 = z.string().refine((value) => Buffer.byteLength(value) >= 32, "must be at least 32 bytes long");
const optionalText = z
  .string()
  .optional()
  .transform((value) => value || undefined);

/** Base64 of 32 bytes each, newest first. */
const encryptionKeys = z
  .string()
  .transform((list) => list.split(",").map((key) => Buffer.from(key.trim(), "base64")))
  .refine((keys) => keys.every((key) => key.length === 32), "must be base64 of 32 bytes each, comma-separated, newest first");

/** Hosts in the URL parser's spelling: small letters, addresses in their one form, IPv6 without its brackets. */
const hosts = z
  .string()
  .default("")
  .transform((list) => list.split(",").flatMap((host) => (host.trim() === "" ? [] : [hostOf(host.trim())])))
  .refine((known) => known.every((host) => host !== null), "must be host names or addresses, comma-separated, without ports")
  .transform((known): ReadonlySet<string> => new Set(known.filter((host) => host !== null)));

function hostOf(host: string): string | null {
  const url = `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}/`;
  if (!URL.canParse(url)) return null;
  const parsed = new URL(url);
  return parsed.href === `http://${parsed.hostname}/` ? parsed.hostname.replace(/^\[|\]$/g, "") : null;
}

const environment = z.object({
  SUPABASE_URL: z.url(),
  SUPABASE_PUBLISHABLE_KEY: z.string().min(1),
  SUPABASE_SECRET_KEY: z.string().min(1),
  SUPABASE_JWT_SECRET: secret32,
  AUTH_JWT_SECRET: optionalText.pipe(secret32.optional()),
  AUTH_JWT_JWKS_URL: optionalText.pipe(z.url().optional()),
  AUTH_JWT_PUBLIC_KEY: optionalText,
  AUTH_JWT_ISSUER: optionalText,
  AUTH_JWT_AUDIENCE: optionalText,
  NEXTAUTH_SECRET: secret32,
  NEXTAUTH_URL: z.url(),
  ENCRYPTION_KEYS: encryptionKeys,
  RATE_LIMIT_PER_MINUTE: whole.default(1200),
  AUTH_FAILURES_PER_MINUTE: whole.default(100),
  WEBHOOK_ALLOW_HOSTS: hosts,
});

export type Env = z.output<typeof environment>;

let parsed: Env | undefined;

/** @throws Error naming each variable that is missing or not valid, without its value. */
export function env(): Env {
  if (!parsed) {
    const result = environment.safeParse(process.env);
    if (!result.success) {
      const reasons = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
      throw new Error(`The configuration is not valid.\n  ${reasons.join("\n  ")}`);
    }
    parsed = result.data;
  }
  return parsed;
}
