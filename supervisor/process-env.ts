/**
 * Limits each process to the variables it needs, so that a compromised process can't reveal others.
 */
import { MALLOC_ENV } from "./heap-sizes.ts";

type Variables = Record<string, string>;

/**
 * The web process serves the public. It has no access to the database owner, the audit signing key
 * or the mail server.
 */
export function webEnv({
  DATABASE_URL: _owner,
  DIRECT_URL: _direct,
  AUDIT_SIGNING_KEY: _key,
  SMTP_URL: _mail,
  ...env
}: Variables): Variables {
  return { ...MALLOC_ENV, ...env };
}

const ANY_PROCESS = /^(PATH|HOME|TZ|TMPDIR|LANG|LC_.*|NODE_.*|OTEL_.*|PG.*|SSL_CERT_.*)$/;
const DATA_API = /^SUPABASE_(JWT_SECRET|PUBLISHABLE_KEY|SECRET_KEY)$/;
const BACKGROUND = {
  worker:
    /^(DATABASE_URL|DIRECT_URL|HOST|METRICS_TOKEN|ENCRYPTION_KEYS|AUDIT_(SIGNING_KEY|PUBLIC_KEYS)|WEBHOOK_ALLOW_HOSTS|SMTP_URL|MAIL_(FROM|DIR)|INBOX_(DOMAIN|PORT|TLS_(CERT|KEY))|NEXTAUTH_URL)$/,
  matcher: /^(DATABASE_URL|DIRECT_URL|HOST|METRICS_TOKEN)$/,
};

/** The local stack's Supabase only gets the project's keys. */
export function dataApiEnv(env: Variables): Variables {
  return pickVariables(env, DATA_API);
}

/**
 * The worker encrypts, signs, delivers and mails, and the matcher works in the database: neither
 * authenticates anyone.
 */
export function backgroundEnv(env: Variables, kind: keyof typeof BACKGROUND): Variables {
  return pickVariables(env, BACKGROUND[kind]);
}

function pickVariables(env: Variables, allowed: RegExp): Variables {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => ANY_PROCESS.test(name) || allowed.test(name)),
  );
}
