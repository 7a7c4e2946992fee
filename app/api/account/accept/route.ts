import { acceptInvitation } from "#lib/accounts/invitation-link.ts";
import { accountEndpoint } from "#lib/http/account-request.ts";

export const POST = accountEndpoint("accept", { succeeds: true }, ({ body, user, origin }) =>
  acceptInvitation(body, user, origin),
);
