import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { resendInvitationContract } from "#lib/invitations/contract.ts";
import { resendInvitation } from "#lib/invitations/resend-invitation.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(resendInvitationContract, ({ ctx, params }) =>
    resendInvitation(ctx, params.invitationId),
  ),
);
