import { z } from "zod";
import type { Context } from "../../context.ts";
import { decodeCursor, encodeCursor } from "../../cursor.ts";
import { read } from "../../db/call.ts";
import { time } from "../../schema.ts";
import { delivery, type listWebhookDeliveriesContract } from "./contract.ts";

const ORDER = "id";
const keyset = z.object({ items: z.array(delivery), next: z.tuple([z.string()]).nullable(), as_of: time });

export async function listWebhookDeliveries(
  ctx: Context,
  id: string,
  { cursor, ...filters }: z.output<typeof listWebhookDeliveriesContract.query>,
): Promise<z.output<typeof listWebhookDeliveriesContract.response>> {
  const after = decodeCursor(ORDER, cursor, z.tuple([delivery.shape.id]));
  const { items, next, as_of } = await read(ctx, "list_webhook_deliveries", { id, ...filters, after }, keyset);
  return { items, next_cursor: encodeCursor(ORDER, next), as_of };
}
