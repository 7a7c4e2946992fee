import { z } from "zod";
import { readPage } from "../../db/page.ts";
import type { Context } from "../../request/context.ts";
import { type Delivery, delivery, type listDeliveriesContract } from "./contract.ts";

type Contract = typeof listDeliveriesContract;

const NEWEST_FIRST = { name: "id", key: z.tuple([delivery.shape.id]) };

export function listDeliveries(
  ctx: Context,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<Delivery, { as_of: string }>(ctx, "list_deliveries", NEWEST_FIRST, query);
}
