import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import { type Invitation, invitation, type listInvitationsContract } from "./contract.ts";

type Contract = typeof listInvitationsContract;

const NEWEST_FIRST = { name: "id", key: z.tuple([invitation.shape.id]) };

export function listInvitations(
  ctx: Context,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<Invitation>(ctx, "list_invitations", NEWEST_FIRST, query);
}
