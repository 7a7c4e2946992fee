import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import { listTenantMembersContract } from "#lib/members/contract.ts";
import { listTenantMembers } from "#lib/members/list-tenant-members.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(listTenantMembersContract, ({ ctx, query }) => listTenantMembers(ctx, query)),
);
