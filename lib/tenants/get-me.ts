import type { z } from "zod";
import type { Context } from "../context.ts";
import { read } from "../db/call.ts";
import { me } from "./contract.ts";

const tenant = me.pick({ tenant_id: true, tenant_name: true });

export async function getMe(ctx: Context): Promise<z.output<typeof me>> {
  const { type, id, name, roles, scopes } = ctx.principal;
  return { ...(await read(ctx, "get_me", {}, tenant)), principal: { type, id, name, roles: [...roles], scopes: [...scopes] } };
}
