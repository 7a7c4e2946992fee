import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { getInvitationContract, revokeInvitationContract } from "#lib/invitations/contract.ts";
import { getInvitation } from "#lib/invitations/get-invitation.ts";
import { revokeInvitation } from "#lib/invitations/revoke-invitation.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getInvitationContract, ({ ctx, params }) => getInvitation(ctx, params.invitationId)),
  endpoint(revokeInvitationContract, ({ ctx, params }) =>
    revokeInvitation(ctx, params.invitationId),
  ),
);
