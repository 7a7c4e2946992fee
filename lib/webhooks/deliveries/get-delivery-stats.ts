import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { WebhookStats } from "./contract.ts";

export function getDeliveryStats(ctx: Context): Promise<WebhookStats> {
  return read(ctx, "get_delivery_stats", {});
}
