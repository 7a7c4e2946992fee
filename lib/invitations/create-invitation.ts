import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { createInvitationContract, Invitation } from "./contract.ts";

/** Creates an invitation, whose link only the worker's mail contains. */
export async function createInvitation(
  ctx: Context,
  input: z.output<NonNullable<typeof createInvitationContract.body>>,
): Promise<Invitation> {
  return tagged(ctx, await write<Invitation>(ctx, "create_invitation", input));
}
