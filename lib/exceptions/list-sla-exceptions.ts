import { z } from "zod";
import { readPolledPage } from "../db/polled-page.ts";
import type { Context } from "../request/context.ts";
import { timestamp, USER_REFERENCE } from "../wire/schema.ts";
import {
  type listSlaExceptionsContract,
  type SLA_SORTS,
  type SlaItem,
  type SlaList,
  slaItem,
} from "./contract.ts";
import { filterInput } from "./filters/contract.ts";

/** The deadline in a sort key. Paused exceptions have infinity, so they come last. */
const sortedAt = z.union([z.literal("infinity"), timestamp]);

/** The first element of a sort key. Orders by due_at don't need one. */
const noRank = z.literal("");
const RANKS: Record<(typeof SLA_SORTS)[number], z.ZodType> = {
  due_at: noRank,
  breach_risk: noRank,
  severity: z.string().regex(/^[0-3]$/),
  assigned_to: z
    .string()
    .refine((rank) => rank === "1" || (rank.startsWith("0") && USER_REFERENCE.test(rank.slice(1)))),
  amount: z.string().regex(/^(?:1|0[A-Z]{3}\d{19})$/),
};

export function listSlaExceptions(
  ctx: Context,
  { sortBy, ...query }: z.output<typeof listSlaExceptionsContract.query>,
): Promise<SlaList> {
  const order = { name: sortBy, key: z.tuple([RANKS[sortBy], sortedAt, slaItem.shape.id]) };
  const input = { ...filterInput(query), sort_by: sortBy };
  return readPolledPage<SlaItem, Pick<SlaList, "summary" | "as_of">>(
    ctx,
    "list_sla_exceptions",
    order,
    input,
  );
}
