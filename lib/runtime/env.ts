/** The server's configuration: the same variables on every kind of stack. Read once; a bad value stops the start. */
import { z } from "zod";
import { optionalText, requireAddressees, trustVariables } from "./trust.ts";

const whole = z.string().regex(/^\d+$/, "must be a whole number").transform(Number);
const secret32 = z.string().refine((value) => Buffer.byteLength(value) >= 32, "must be at least 32 bytes long");

/** Base64 of 32 bytes each, newest first. */
const base64Keys = z
  .string()
  .transform((list) => list.split(",").flatMap((key) => (key.trim() ? Buffer.from(key.trim(), "base64") : [])))
  .refine((keys) => keys.every((key) => key.length === 32), "must be base64 of 32 bytes each, comma-separated, newest first");

/** Hosts as the URL parser writes them: lower case, addresses normalised, IPv6 without brackets. */
export const hosts = z
  .string()
  .default("")
  .transform((list, context): ReadonlySet<string> => {
    const given = list.split(",").flatMap((host) => host.trim() || []);
    const wrong = given.find((host) => hostOf(host) === null);
    if (wrong === undefined) return new Set(given.map((host) => hostOf(host) ?? host));
    const message = `must be host names or addresses, comma-separated, without scheme, port or path; "${wrong}" isn't one`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });

function hostOf(host: string): string | null {
  const url = `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}/`;
  if (!URL.canParse(url)) return null;
  const parsed = new URL(url);
  return parsed.href === `http://${parsed.hostname}/` ? parsed.hostname.replace(/^\[|\]$/g, "") : null;
}

const variables = z.object({
  SUPABASE_URL: z.url(),
  SUPABASE_PUBLISHABLE_KEY: z.string().min(1),
  SUPABASE_SECRET_KEY: z.string().min(1),
  SUPABASE_JWT_SECRET: secret32,
  AUTH_JWT_SECRET: optionalText.pipe(secret32.optional()),
  ...trustVariables,
  NEXTAUTH_SECRET: secret32,
  NEXTAUTH_URL: z.url(),
  SESSION_CHECK_SECONDS: whole.default(60),
  SESSION_IDLE_MINUTES: whole.default(60),
  OIDC_SESSION_MINUTES: whole.default(60),
  ENCRYPTION_KEYS: base64Keys.refine((keys) => keys.length > 0, "must be set"),
  // The worker signs; a process that only verifies has the public keys instead.
  AUDIT_SIGNING_KEY: base64Keys.default([]),
  AUDIT_PUBLIC_KEYS: base64Keys.default([]),
  WEB_CONCURRENCY: whole.default(1),
  RATE_LIMIT_PER_MINUTE: whole.default(1200),
  RATE_LIMIT_PER_ADDRESS: whole.optional(),
  AUTH_FAILURES_PER_MINUTE: whole.default(100),
  WEBHOOK_ALLOW_HOSTS: hosts,
  DATABASE_MAX_BYTES: whole.default(0),
  DATABASE_DISK: optionalText,
  METRICS_TOKEN: optionalText.pipe(secret32.optional()),
});

const environment = variables
  .superRefine(requireAddressees)
  .refine(({ AUDIT_SIGNING_KEY, AUDIT_PUBLIC_KEYS }) => AUDIT_SIGNING_KEY.length + AUDIT_PUBLIC_KEYS.length > 0, {
    path: ["AUDIT_PUBLIC_KEYS"],
    message: "must be set where AUDIT_SIGNING_KEY is not",
  });

export type Env = z.output<typeof environment>;

let parsed: Env | undefined;

/** @throws Error naming each variable that is missing or invalid, without its value. */
export function env(): Env {
  if (!parsed) {
    const result = environment.safeParse(process.env);
    if (!result.success) {
      const reasons = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
      throw new Error(`The configuration is invalid.\n  ${reasons.join("\n  ")}`);
    }
    parsed = result.data;
  }
  return parsed;
}
