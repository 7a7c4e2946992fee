import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { EventKind } from "../wire/event-kinds.ts";
import type { Delivery } from "./deliveries/contract.ts";

/** `data` is the event type's example. Null for webhook.test, whose data is the webhook itself. */
export function testWebhook(
  ctx: Context,
  id: string,
  type: EventKind,
  data: object | null,
): Promise<Delivery> {
  return write(ctx, "test_webhook", { id, type, data });
}
