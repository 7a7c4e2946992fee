/** What each part has to know, and no more: what a part does not hold cannot be taken from it. */

type Variables = Record<string, string>;

/** The web process serves strangers. It neither owns the database nor signs the audit trail. */
export function webEnv({ DATABASE_URL: _owner, DIRECT_URL: _direct, AUDIT_SIGNING_KEY: _key, ...env }: Variables): Variables {
  return env;
}

const DATA_API = /^(PATH|HOME|TZ|LANG|LC_.*|NODE_.*|SUPABASE_(JWT_SECRET|PUBLISHABLE_KEY|SECRET_KEY))$/;

/** The local stack's Supabase knows a project's keys, and nothing of the application on it. */
export function dataApiEnv(env: Variables): Variables {
  return Object.fromEntries(Object.entries(env).filter(([name]) => DATA_API.test(name)));
}
