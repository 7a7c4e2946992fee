import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { Webhook } from "./contract.ts";

export function enableWebhook(ctx: Context, id: string): Promise<Webhook> {
  return write(ctx, "enable_webhook", { id });
}
