import { forgetSessions } from "../auth/session-store.ts";
import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { Session } from "./contract.ts";

/** @throws ApiError `not_found` for one that has ended, or is another person's. */
export async function endSession(ctx: Context, { id }: { id: string }): Promise<Session> {
  const ended = await read<Session>(ctx, "end_session", { id });
  forgetSessions([ended.id]);
  return ended;
}
