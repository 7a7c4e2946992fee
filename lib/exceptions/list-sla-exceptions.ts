import { z } from "zod";
import type { Context } from "../context.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { read } from "../db/call.ts";
import { time, timestamp, USER_REFERENCE } from "../schema.ts";
import { type listSlaExceptionsContract, type SLA_SORTS, type SlaList, slaItem, slaSummary } from "./contract.ts";

const keyset = z.object({
  items: z.array(slaItem),
  next: z.tuple([z.string(), time, slaItem.shape.id]).nullable(),
  summary: slaSummary,
  as_of: time,
});

/** What stands first in a sort key, by the order; the order by due_at needs no rank. */
const noRank = z.literal("");
const RANKS: Record<(typeof SLA_SORTS)[number], z.ZodType> = {
  due_at: noRank,
  breach_risk: noRank,
  severity: z.string().regex(/^[0-3]$/),
  assigned_to: z.string().refine((rank) => rank === "1" || (rank.startsWith("0") && USER_REFERENCE.test(rank.slice(1)))),
};

export async function listSlaExceptions(
  ctx: Context,
  { sortBy, withinMinutes, cursor, ...filters }: z.output<typeof listSlaExceptionsContract.query>,
): Promise<SlaList> {
  const after = decodeCursor(sortBy, cursor, z.tuple([RANKS[sortBy], timestamp, slaItem.shape.id]));
  const input = { ...filters, sort_by: sortBy, within_minutes: withinMinutes, after };
  const { items, next, summary, as_of } = await read(ctx, "list_sla_exceptions", input, keyset);
  return { items, summary, next_cursor: encodeCursor(sortBy, next), as_of };
}
