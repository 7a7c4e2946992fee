import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { listMembersContract } from "#lib/members/contract.ts";
import { listMembers } from "#lib/members/list-members.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listMembersContract, ({ ctx, query }) => listMembers(ctx, query)),
);
