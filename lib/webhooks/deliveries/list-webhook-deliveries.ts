import { z } from "zod";
import { readPage } from "../../db/page.ts";
import type { Context } from "../../request/context.ts";
import { type Delivery, delivery, type listWebhookDeliveriesContract } from "./contract.ts";

type Contract = typeof listWebhookDeliveriesContract;

const NEWEST_FIRST = { name: "id", key: z.tuple([delivery.shape.id]) };

export function listWebhookDeliveries(
  ctx: Context,
  id: string,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<Delivery, { as_of: string }>(ctx, "list_webhook_deliveries", NEWEST_FIRST, {
    id,
    ...query,
  });
}
