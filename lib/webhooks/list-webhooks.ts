import { z } from "zod";
import type { Context } from "../context.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import { read } from "../db/call.ts";
import { type listWebhooksContract, webhook } from "./contract.ts";

const ORDER = "id";
const keyset = z.object({ items: z.array(webhook), next: z.tuple([z.string()]).nullable() });

export async function listWebhooks(
  ctx: Context,
  { cursor, ...filters }: z.output<typeof listWebhooksContract.query>,
): Promise<z.output<typeof listWebhooksContract.response>> {
  const after = decodeCursor(ORDER, cursor, z.tuple([webhook.shape.id]));
  const { items, next } = await read(ctx, "list_webhooks", { ...filters, after }, keyset);
  return { items, next_cursor: encodeCursor(ORDER, next) };
}
