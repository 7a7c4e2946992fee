import { forgetSessions } from "../auth/session-store.ts";
import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";

/** All of the caller's own, whichever tenant they name. */
export async function endSessions(ctx: Context): Promise<{ ended: string[] }> {
  const answer = await read<{ ended: string[] }>(ctx, "end_sessions", {});
  forgetSessions(answer.ended);
  return answer;
}
