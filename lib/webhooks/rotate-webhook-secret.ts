import type { z } from "zod";
import type { Context } from "../request/context.ts";
import type { NewWebhook, rotateWebhookSecretContract } from "./contract.ts";
import { storeSecret } from "./store-secret.ts";

export function rotateWebhookSecret(
  ctx: Context,
  id: string,
  { secret, ...input }: z.output<NonNullable<typeof rotateWebhookSecretContract.body>>,
): Promise<NewWebhook> {
  return storeSecret(ctx, "rotate_webhook_secret", { id, ...input }, secret);
}
