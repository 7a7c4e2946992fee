/**
 * The server's configuration: the same variables on every kind of stack. They are read once, and an
 * invalid value prevents the start.
 */
import { z } from "zod";
import { PRODUCT, PRODUCT_ID } from "../wire/product.ts";
import { optionalText, requireAudience, trustVariables } from "./auth-config.ts";

const wholeNumber = z.string().regex(/^\d+$/, "must be a whole number").transform(Number);
const secret32 = z
  .string()
  .refine((value) => Buffer.byteLength(value) >= 32, "must be at least 32 bytes long");

/** Base64 of 32 bytes each, newest first. */
const base64Keys = z
  .string()
  .transform((list) =>
    list.split(",").flatMap((key) => (key.trim() ? Buffer.from(key.trim(), "base64") : [])),
  )
  .refine(
    (keys) => keys.every((key) => key.length === 32),
    "must be base64 of 32 bytes each, comma-separated, newest first",
  );

/** Hosts as the URL parser writes them: lower case, addresses normalised, IPv6 without brackets. */
export const hostList = z
  .string()
  .default("")
  .transform((list, context): ReadonlySet<string> => {
    const names = list.split(",").flatMap((host) => host.trim() || []);
    const wrong = names.find((host) => hostOf(host) === null);
    if (wrong === undefined) return new Set(names.map((host) => hostOf(host) ?? host));
    const message =
      "must be host names or addresses, comma-separated, " +
      `without scheme, port or path; "${wrong}" isn't one`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });

function hostOf(host: string): string | null {
  const url = `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}/`;
  if (!URL.canParse(url)) return null;
  const parsed = new URL(url);
  return parsed.href === `http://${parsed.hostname}/`
    ? parsed.hostname.replace(/^\[|\]$/g, "")
    : null;
}

/**
 * Keys for encryption and signing, and the hosts that webhooks may reach: all that the worker
 * needs.
 */
const workerVariables = {
  ENCRYPTION_KEYS: base64Keys.refine((keys) => keys.length > 0, "must be set"),
  // The worker signs; a process that only verifies has the public keys instead.
  AUDIT_SIGNING_KEY: base64Keys.default([]),
  AUDIT_PUBLIC_KEYS: base64Keys.default([]),
  WEBHOOK_ALLOW_HOSTS: hostList,
};

/** How mail is sent and which base its links have: only the worker reads these. */
const mailVariables = z.object({
  SMTP_URL: optionalText.pipe(z.url({ protocol: /^smtps?$/, hostname: /./ }).optional()),
  MAIL_FROM: optionalText.pipe(z.string().default(`${PRODUCT} <${PRODUCT_ID}@localhost>`)),
  MAIL_DIR: optionalText,
  NEXTAUTH_URL: z.url(),
});
export type MailVariables = z.output<typeof mailVariables>;

const variables = z.object({
  ...workerVariables,
  SUPABASE_URL: z.url(),
  SUPABASE_PUBLISHABLE_KEY: z.string().min(1),
  SUPABASE_SECRET_KEY: z.string().min(1),
  SUPABASE_JWT_SECRET: secret32,
  REQUEST_DATABASE_URL: optionalText.pipe(z.url({ protocol: /^postgres(?:ql)?$/ }).optional()),
  REPLICA_DATABASE_URL: optionalText.pipe(z.url({ protocol: /^postgres(?:ql)?$/ }).optional()),
  AUTH_JWT_SECRET: optionalText.pipe(secret32.optional()),
  ...trustVariables,
  NEXTAUTH_SECRET: secret32,
  NEXTAUTH_URL: z.url(),
  SESSION_CHECK_SECONDS: wholeNumber.default(60),
  SESSION_IDLE_MINUTES: wholeNumber.default(60),
  OIDC_SESSION_MINUTES: wholeNumber.default(60),
  WEB_CONCURRENCY: wholeNumber.default(1),
  RATE_LIMIT_PER_MINUTE: wholeNumber.default(1200),
  RATE_LIMIT_PER_ADDRESS: wholeNumber.optional(),
  AUTH_FAILURES_PER_MINUTE: wholeNumber.default(100),
  DATABASE_MAX_BYTES: wholeNumber.default(0),
  DATABASE_DISK: optionalText,
  EVIDENCE_BUCKET: optionalText,
  INBOX_DOMAIN: optionalText.pipe(z.hostname().toLowerCase().optional()),
  METRICS_TOKEN: optionalText.pipe(secret32.optional()),
  SERVICE_ROLE_REASON: optionalText.pipe(z.enum(["optional", "required"]).default("optional")),
});

type Keys = Record<"AUDIT_SIGNING_KEY" | "AUDIT_PUBLIC_KEYS", Buffer[]>;

function requireAuditKeys(
  { AUDIT_SIGNING_KEY, AUDIT_PUBLIC_KEYS }: Keys,
  context: z.RefinementCtx,
): void {
  if (AUDIT_SIGNING_KEY.length + AUDIT_PUBLIC_KEYS.length > 0) return;
  context.addIssue({
    code: "custom",
    path: ["AUDIT_PUBLIC_KEYS"],
    message: "must be set where AUDIT_SIGNING_KEY is not",
  });
}

/** Where the worker receives mail, for connections by mail. */
const inboxVariables = z.object({
  INBOX_DOMAIN: variables.shape.INBOX_DOMAIN,
  INBOX_PORT: wholeNumber.optional(),
  INBOX_TLS_CERT: optionalText,
  INBOX_TLS_KEY: optionalText,
});

export type InboxVariables = z.output<typeof inboxVariables>;

/** The variables that docs/configuration.md must explain. */
export const VARIABLE_NAMES = Object.keys({
  ...variables.shape,
  ...mailVariables.shape,
  ...inboxVariables.shape,
});

/** @throws Error that names each missing or invalid variable, without its value. */
export const env = readOnce(variables.superRefine(requireAudience).superRefine(requireAuditKeys));

/** The variables that the worker has, too. @throws Error as `env` does. */
export const workerEnv = readOnce(z.object(workerVariables).superRefine(requireAuditKeys));

/** The inbox variables of the worker. @throws Error as `env` does. */
export const inboxEnv = readOnce(inboxVariables);

/** The mail variables of the worker. @throws Error as `env` does. */
export const mailEnv = readOnce(mailVariables);

function readOnce<Schema extends z.ZodType>(schema: Schema): () => z.output<Schema> {
  let parsed: z.output<Schema> | undefined;
  return () => {
    parsed ??= read(schema);
    return parsed;
  };
}

function read<Schema extends z.ZodType>(schema: Schema): z.output<Schema> {
  const { success, data, error } = schema.safeParse(process.env);
  if (success) return data;
  const reasons = error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`The configuration is invalid.\n  ${reasons.join("\n  ")}`);
}
