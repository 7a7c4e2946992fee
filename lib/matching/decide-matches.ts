import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { decideMatchesContract } from "./contract.ts";
import { explained, type StoredMatch } from "./stored.ts";

type Contract = typeof decideMatchesContract;

export async function decideMatches(
  ctx: Context,
  input: z.output<NonNullable<Contract["body"]>>,
): Promise<z.input<Contract["response"]>> {
  const { count, items } = await write<{ count: number; items: StoredMatch[] }>(
    ctx,
    "decide_matches",
    input,
  );
  return { count, items: items.map(explained) };
}
