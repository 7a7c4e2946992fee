import { write } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { Delivery } from "./contract.ts";

export function resendWebhookDelivery(
  ctx: Context,
  id: string,
  deliveryId: string,
): Promise<Delivery> {
  return write(ctx, "resend_webhook_delivery", { id, delivery_id: deliveryId });
}
