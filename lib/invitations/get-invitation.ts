import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { Invitation } from "./contract.ts";

export async function getInvitation(ctx: Context, id: string): Promise<Invitation> {
  return tagged(ctx, await read<Invitation>(ctx, "get_invitation", { id }));
}
