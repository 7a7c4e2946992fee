import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { Match } from "./contract.ts";
import { explained, type StoredMatch } from "./stored.ts";

export async function undoMatch(ctx: Context, id: string): Promise<Match> {
  return explained(await write<StoredMatch>(ctx, "undo_match", { id }));
}
