import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { AlertChannel } from "./contract.ts";

export async function deleteAlertChannel(ctx: Context, id: string): Promise<AlertChannel> {
  return tagged(ctx, await write<AlertChannel>(ctx, "delete_alert_channel", { id }));
}
