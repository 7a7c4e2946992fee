import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { AlertChannel } from "./contract.ts";

/** Queues a test message, which the worker sends. */
export function testAlertChannel(ctx: Context, id: string): Promise<AlertChannel> {
  return write(ctx, "test_alert_channel", { id });
}
