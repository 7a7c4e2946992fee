import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { createMatchContract, Match } from "./contract.ts";
import { explained, type StoredMatch } from "./stored.ts";

export async function createMatch(
  ctx: Context,
  id: string,
  input: z.output<NonNullable<typeof createMatchContract.body>>,
): Promise<Match> {
  return explained(await write<StoredMatch>(ctx, "create_match", { ...input, id }));
}
