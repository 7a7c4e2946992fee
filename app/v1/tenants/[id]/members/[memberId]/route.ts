import { endpoint } from "#lib/http/endpoint.ts";
import { route } from "#lib/http/route.ts";
import {
  getTenantMemberContract,
  removeTenantMemberContract,
  updateTenantMemberContract,
} from "#lib/members/contract.ts";
import { getTenantMember } from "#lib/members/get-tenant-member.ts";
import { removeTenantMember } from "#lib/members/remove-tenant-member.ts";
import { updateTenantMember } from "#lib/members/update-tenant-member.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  endpoint(getTenantMemberContract, ({ ctx, params }) => getTenantMember(ctx, params.memberId)),
  endpoint(updateTenantMemberContract, ({ ctx, params, body }) =>
    updateTenantMember(ctx, params.memberId, body),
  ),
  endpoint(removeTenantMemberContract, ({ ctx, params, body }) =>
    removeTenantMember(ctx, params.memberId, body),
  ),
);
