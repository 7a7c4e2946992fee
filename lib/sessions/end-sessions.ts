import { forgetSessions } from "../auth/session-store.ts";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";

/**
 * Ends the caller's own sessions, those in `ids` or all, regardless of the tenant in the request.
 */
export async function endSessions(
  ctx: Context,
  { ids }: { ids?: string[] | undefined },
): Promise<{ ended: string[] }> {
  const answer = await write<{ ended: string[] }>(ctx, "end_sessions", { ids: ids ?? null });
  forgetSessions(answer.ended);
  return answer;
}
