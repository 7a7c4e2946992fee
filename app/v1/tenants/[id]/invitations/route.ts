import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { createInvitationContract, listInvitationsContract } from "#lib/invitations/contract.ts";
import { createInvitation } from "#lib/invitations/create-invitation.ts";
import { listInvitations } from "#lib/invitations/list-invitations.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listInvitationsContract, ({ ctx, query }) => listInvitations(ctx, query)),
  endpoint(createInvitationContract, ({ ctx, body }) => createInvitation(ctx, body)),
);
