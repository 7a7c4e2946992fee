import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import { type listMatchesContract, match } from "./contract.ts";
import { explained, type StoredMatch } from "./stored.ts";

type Contract = typeof listMatchesContract;

const NEWEST_FIRST = { name: "id", key: z.tuple([match.shape.id]) };

export async function listMatches(
  ctx: Context,
  id: string,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  const { items, next_cursor } = await readPage<StoredMatch>(ctx, "list_matches", NEWEST_FIRST, {
    ...query,
    id,
  });
  return { items: items.map(explained), next_cursor };
}
