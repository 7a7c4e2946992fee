import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { TenantMember } from "./contract.ts";

export async function getTenantMember(ctx: Context, id: string): Promise<TenantMember> {
  return tagged(ctx, await read<TenantMember>(ctx, "get_tenant_member", { id }));
}
