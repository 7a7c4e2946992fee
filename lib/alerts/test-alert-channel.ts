import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { AlertChannel } from "./contract.ts";

/** Leaves the message to the worker. */
export function testAlertChannel(ctx: Context, id: string): Promise<AlertChannel> {
  return write(ctx, "test_alert_channel", { id });
}
