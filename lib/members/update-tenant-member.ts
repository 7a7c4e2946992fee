import { forgetMemberships } from "../auth/session-user.ts";
import { supabaseIssuer } from "../auth/trust-anchors.ts";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { Role } from "../wire/access.ts";
import type { TenantMember } from "./contract.ts";

export async function updateTenantMember(
  ctx: Context,
  id: string,
  { roles }: { roles: Role[] },
): Promise<TenantMember> {
  const member = await write<TenantMember>(ctx, "update_tenant_member", {
    id,
    roles,
    issuer: supabaseIssuer(),
  });
  forgetMemberships(id);
  return tagged(ctx, member);
}
