import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import { sealUrl } from "./channel-url.ts";
import type { AlertChannel, updateAlertChannelContract } from "./contract.ts";

type Input = z.output<NonNullable<typeof updateAlertChannelContract.body>>;

export async function updateAlertChannel(
  ctx: Context,
  id: string,
  { url, ...patch }: Input,
): Promise<AlertChannel> {
  const sealed = url === undefined ? {} : sealUrl(url, ctx.tenantId);
  return tagged(
    ctx,
    await write<AlertChannel>(ctx, "update_alert_channel", { id, patch, ...sealed }),
  );
}
