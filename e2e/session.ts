import { encode } from "next-auth/jwt";
import type { Role } from "#lib/wire/access.ts";
import { stackEnvironment } from "../supervisor/stack-file.ts";
import { uniqueName } from "./fixtures.ts";

const SESSION_SECONDS = 3600;

export const SESSION_COOKIE = "tieout.session";

/** The session that signing in would have given: for people that the local stack does not have. `claims`: of the session's own. */
export function sessionOf(tenants: Record<string, Role[]>, name = "ada", claims: Record<string, unknown> = {}): Promise<string> {
  const secret = stackEnvironment().NEXTAUTH_SECRET ?? "";
  return encode({ token: { sub: uniqueName(name), name, tenants, ...claims }, secret, maxAge: SESSION_SECONDS });
}
