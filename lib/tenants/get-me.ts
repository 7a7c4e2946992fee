import type { z } from "zod";
import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { me } from "./contract.ts";

type Me = z.output<typeof me>;

/** The publishable key is public: to it, tenants that exist and tenants that don't look the same. */
export async function getMe(ctx: Context): Promise<Me> {
  const { type, id, name, roles, scopes } = ctx.principal;
  const tenant = await read<Pick<Me, "tenant_id" | "tenant_name">>(ctx, "get_me", {});
  return { ...tenant, principal: { type, id, name, roles: [...roles], scopes: [...scopes] } };
}
