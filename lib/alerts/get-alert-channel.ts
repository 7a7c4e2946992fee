import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { AlertChannel } from "./contract.ts";

export async function getAlertChannel(ctx: Context, id: string): Promise<AlertChannel> {
  return tagged(ctx, await read<AlertChannel>(ctx, "get_alert_channel", { id }));
}
