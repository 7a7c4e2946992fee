import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { Delivery } from "./deliveries/contract.ts";

export function testWebhook(ctx: Context, id: string): Promise<Delivery> {
  return write(ctx, "test_webhook", { id });
}
