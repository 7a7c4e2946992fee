import { accountEmail, changePassword } from "#lib/accounts/change-password.ts";
import { accountEndpoint, requireSignedIn } from "#lib/http/account-request.ts";

const account = ({ user }: { user: Parameters<typeof requireSignedIn>[0] }) =>
  accountEmail(requireSignedIn(user));

export const POST = accountEndpoint(
  "password",
  { account, succeeds: true },
  async ({ body, user, origin }) => {
    const person = requireSignedIn(user);
    await changePassword(person, await accountEmail(person), body, origin);
    return {};
  },
);
