import { encode } from "next-auth/jwt";
import { stackEnvironment } from "../supervisor/stack-file.ts";
import { enrol, PASSWORD, sql, stack, uniqueName } from "./fixtures.ts";

/** Longer than a test uses a session. */
const SESSION_SECONDS = 3600;

/** Signs in as the form does. */
export async function signIn(
  email: string,
  password = PASSWORD,
  url = stack.url,
  path = "callback/password",
) {
  const csrf = await fetch(`${url}/api/auth/csrf`);
  const { csrfToken } = (await csrf.json()) as { csrfToken: string };
  const startedAt = performance.now();
  const answer = await fetch(`${url}/api/auth/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded", Cookie: cookiesOf(csrf) },
    body: new URLSearchParams({ email, password, csrfToken, json: "true" }),
    redirect: "manual",
  });
  const way = ((await answer.json()) as { url: string }).url;
  return {
    status: answer.status,
    headers: answer.headers,
    way,
    ms: performance.now() - startedAt,
    cookies: cookiesOf(answer),
  };
}

export function cookiesOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

type Claims = Record<string, unknown> & { tenants: Parameters<typeof enrol>[0]; name?: string };

/**
 * The cookie of a session, for users that the local stack doesn't have. `claims` are the session's.
 */
export async function sessionCookie(claims: Claims): Promise<string> {
  const { name = "ada", tenants } = claims;
  const valid_until = Math.floor(Date.now() / 1000) + SESSION_SECONDS;
  const account = { ...(await anAccount(tenants, name)), ...claims };
  const token = { sid: await beginSession(account), name, valid_until, ...account };
  const secret = stackEnvironment().NEXTAUTH_SECRET ?? "";
  return `tieout.session=${await encode({ token, secret, maxAge: SESSION_SECONDS })}`;
}

async function beginSession(account: {
  issuer: string;
  sub: string;
  provider: string;
}): Promise<string> {
  const [begun] = await sql<{ id: string }>(
    `insert into private.sessions (issuer, subject, provider, expires_at)
     values ($1, $2, $3, now() + interval '1 hour') returning id`,
    [account.issuer, account.sub, account.provider],
  );
  return begun?.id ?? "";
}

/** An account at the tests' identity provider or, if the stack has none, at Supabase Auth. */
async function anAccount(tenants: Claims["tenants"], name: string) {
  const { OIDC_CORP_ISSUER: issuer } = process.env;
  if (issuer) return { provider: "corp", issuer, sub: uniqueName(name) };
  const { id } = await enrol(tenants, uniqueName(name));
  return { provider: "password", issuer: `${stack.supabaseUrl}/auth/v1`, sub: id };
}
