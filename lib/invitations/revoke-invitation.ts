import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { Invitation } from "./contract.ts";

export async function revokeInvitation(ctx: Context, id: string): Promise<Invitation> {
  return tagged(ctx, await write<Invitation>(ctx, "revoke_invitation", { id }));
}
