import type { Context } from "../context.ts";
import { read } from "../db/call.ts";
import { type Webhook, webhook } from "./contract.ts";

export function getWebhook(ctx: Context, id: string): Promise<Webhook> {
  return read(ctx, "get_webhook", { id }, webhook);
}
