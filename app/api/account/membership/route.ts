import { isMemberNow } from "#lib/auth/session.ts";
import { accountEndpoint } from "#lib/http/account-request.ts";

export const POST = accountEndpoint(
  "membership",
  { succeeds: true },
  async ({ body, cookies }) => ({ is_member: await isMemberNow(cookies, body.tenant_id) }),
);
