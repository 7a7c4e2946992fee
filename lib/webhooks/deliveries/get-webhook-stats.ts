import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { WebhookStats } from "./contract.ts";

export function getWebhookStats(ctx: Context, id: string): Promise<WebhookStats> {
  return read(ctx, "get_webhook_stats", { id });
}
