import type { z } from "zod";
import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import { type rotateWebhookSecretContract, type Webhook, webhook } from "./contract.ts";
import { sealSecret } from "./seal-secret.ts";

export function rotateWebhookSecret(
  ctx: Context,
  id: string,
  { secret, ...input }: z.output<NonNullable<typeof rotateWebhookSecretContract.body>>,
): Promise<Webhook> {
  return write(ctx, "rotate_webhook_secret", { id, ...input, ...sealSecret(secret, ctx.tenantId) }, webhook);
}
