import type { z } from "zod";
import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import { type createWebhookContract, type Webhook, webhook } from "./contract.ts";
import { requireReceiver } from "./require-receiver.ts";
import { sealSecret } from "./seal-secret.ts";

export function createWebhook(
  ctx: Context,
  { secret, ...input }: z.output<NonNullable<typeof createWebhookContract.body>>,
): Promise<Webhook> {
  requireReceiver(input.url);
  return write(ctx, "create_webhook", { ...input, ...sealSecret(secret, ctx.tenantId) }, webhook);
}
