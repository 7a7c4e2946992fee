import type { z } from "zod";
import { forgetSessions } from "../auth/session-store.ts";
import { forgetMemberships } from "../auth/session-user.ts";
import { supabaseIssuer } from "../auth/trust-anchors.ts";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { removeTenantMemberContract } from "./contract.ts";

type Contract = typeof removeTenantMemberContract;
type Removed = z.input<Contract["response"]> & { ended: string[] };

/**
 * Removes a member. Their sessions and tokens end at once in this process, and within
 * SESSION_CHECK_SECONDS in every other.
 */
export async function removeTenantMember(
  ctx: Context,
  id: string,
  { reason, hand_over_to }: z.output<NonNullable<Contract["body"]>>,
): Promise<z.input<Contract["response"]>> {
  const removed = await write<Removed>(ctx, "remove_tenant_member", {
    id,
    reason: reason ?? null,
    issuer: supabaseIssuer(),
    hand_over: hand_over_to !== undefined,
    hand_over_to: hand_over_to ?? null,
  });
  forgetMemberships(id);
  forgetSessions(removed.ended);
  return tagged(ctx, removed);
}
