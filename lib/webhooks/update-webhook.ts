import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { updateWebhookContract, Webhook } from "./contract.ts";
import { requireReceiver } from "./require-receiver.ts";

export async function updateWebhook(
  ctx: Context,
  id: string,
  patch: z.output<NonNullable<typeof updateWebhookContract.body>>,
): Promise<Webhook> {
  if (patch.url !== undefined) requireReceiver(patch.url);
  return tagged(ctx, await write<Webhook>(ctx, "update_webhook", { id, patch }));
}
