import { z } from "zod";
import type { Context } from "../context.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { read } from "../db/call.ts";
import { time } from "../schema.ts";
import { type listSlaExceptionsContract, type SlaList, slaItem, slaSummary } from "./contract.ts";

/** [rank in the chosen order, due_at, id] */
const sortKey = z.tuple([z.string(), time, slaItem.shape.id]);
const keyset = z.object({ items: z.array(slaItem), next: sortKey.nullable(), summary: slaSummary, as_of: time });

export async function listSlaExceptions(
  ctx: Context,
  { sortBy, withinMinutes, cursor, ...filters }: z.output<typeof listSlaExceptionsContract.query>,
): Promise<SlaList> {
  const after = decodeCursor(sortBy, cursor, sortKey);
  const input = { ...filters, sort_by: sortBy, within_minutes: withinMinutes, after };
  const { items, next, summary, as_of } = await read(ctx, "list_sla_exceptions", input, keyset);
  return { items, summary, next_cursor: encodeCursor(sortBy, next), as_of };
}
