/** What each part has to know, and no more: what a part does not hold cannot be taken from it. */

type Variables = Record<string, string>;

/** The web process serves strangers. It neither owns the database nor signs the audit trail. */
export function webEnv({ DATABASE_URL: _owner, DIRECT_URL: _direct, AUDIT_SIGNING_KEY: _key, ...env }: Variables): Variables {
  return env;
}

const ANY_PROCESS = /^(PATH|HOME|TZ|TMPDIR|LANG|LC_.*|NODE_.*|PG.*|SSL_CERT_.*)$/;
const DATA_API = /^SUPABASE_(JWT_SECRET|PUBLISHABLE_KEY|SECRET_KEY)$/;
const BACKGROUND = {
  worker: /^(DATABASE_URL|DIRECT_URL|ENCRYPTION_KEYS|AUDIT_(SIGNING_KEY|PUBLIC_KEYS)|WEBHOOK_ALLOW_HOSTS)$/,
  matcher: /^(DATABASE_URL|DIRECT_URL)$/,
};

/** The local stack's Supabase knows a project's keys, and nothing of the application on it. */
export function dataApiEnv(env: Variables): Variables {
  return only(env, DATA_API);
}

/** The worker seals, signs and delivers, the matcher works in the database: neither lets anybody in. */
export function backgroundEnv(env: Variables, kind: keyof typeof BACKGROUND): Variables {
  return only(env, BACKGROUND[kind]);
}

function only(env: Variables, ours: RegExp): Variables {
  return Object.fromEntries(Object.entries(env).filter(([name]) => ANY_PROCESS.test(name) || ours.test(name)));
}
