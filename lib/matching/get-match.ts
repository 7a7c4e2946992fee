import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { Match } from "./contract.ts";
import { explained, type StoredMatch } from "./stored.ts";

export async function getMatch(ctx: Context, id: string): Promise<Match> {
  return explained(await read<StoredMatch>(ctx, "get_match", { id }));
}
