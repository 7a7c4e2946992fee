import { findInvitation } from "#lib/accounts/invitation-link.ts";
import { accountEndpoint } from "#lib/http/account-request.ts";

export const POST = accountEndpoint("invitation", { succeeds: true }, ({ body, user }) =>
  findInvitation(body.token, user),
);
