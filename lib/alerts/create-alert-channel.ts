import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import { sealUrl } from "./channel-url.ts";
import type { AlertChannel, createAlertChannelContract } from "./contract.ts";

type Input = z.output<NonNullable<typeof createAlertChannelContract.body>>;

export async function createAlertChannel(
  ctx: Context,
  { url, ...input }: Input,
): Promise<AlertChannel> {
  return tagged(
    ctx,
    await write<AlertChannel>(ctx, "create_alert_channel", {
      ...input,
      ...sealUrl(url, ctx.tenantId),
    }),
  );
}
