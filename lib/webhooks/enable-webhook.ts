import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import type { Webhook } from "./contract.ts";

export function enableWebhook(ctx: Context, id: string): Promise<Webhook> {
  return write(ctx, "enable_webhook", { id });
}
