import { requestPasswordReset } from "#lib/accounts/request-password-reset.ts";
import { accountEndpoint } from "#lib/http/account-request.ts";

export const POST = accountEndpoint(
  "forgot",
  { account: ({ body }) => body.email, succeeds: false },
  async ({ body }) => {
    await requestPasswordReset(body.email);
    return {};
  },
);
