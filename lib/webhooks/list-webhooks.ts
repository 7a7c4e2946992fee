import { z } from "zod";
import type { Context } from "../context.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { read } from "../db/call.ts";
import { time } from "../schema.ts";
import { type listWebhooksContract, webhook } from "./contract.ts";

const ORDER = "id";
const keyset = z.object({ items: z.array(webhook), next: z.tuple([z.string()]).nullable(), as_of: time });

export async function listWebhooks(
  ctx: Context,
  { cursor, ...filters }: z.output<typeof listWebhooksContract.query>,
): Promise<z.output<typeof listWebhooksContract.response>> {
  const after = decodeCursor(ORDER, cursor, z.tuple([webhook.shape.id]));
  const { items, next, as_of } = await read(ctx, "list_webhooks", { ...filters, after }, keyset);
  return { items, next_cursor: encodeCursor(ORDER, next), as_of };
}
