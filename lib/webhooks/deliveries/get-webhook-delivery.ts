import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { DeliveryDetail } from "./contract.ts";

export function getWebhookDelivery(
  ctx: Context,
  id: string,
  deliveryId: string,
): Promise<DeliveryDetail> {
  return read(ctx, "get_webhook_delivery", { id, delivery_id: deliveryId });
}
