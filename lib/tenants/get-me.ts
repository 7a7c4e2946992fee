import type { z } from "zod";
import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { me } from "./contract.ts";

type Me = z.output<typeof me>;

/** For the publishable key, which is public, unknown tenants look the same as existing ones. */
export async function getMe(ctx: Context): Promise<Me> {
  const { type, id, name, roles, scopes } = ctx.principal;
  const tenant = await read<Omit<Me, "principal">>(ctx, "get_me", {});
  return { ...tenant, principal: { type, id, name, roles: [...roles], scopes: [...scopes] } };
}
