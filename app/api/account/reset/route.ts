import { resetPassword } from "#lib/accounts/reset-password.ts";
import { accountEndpoint } from "#lib/http/account-request.ts";

export const POST = accountEndpoint("reset", { succeeds: true }, async ({ body, origin }) => {
  await resetPassword(body, origin);
  return {};
});
