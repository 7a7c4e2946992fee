import type { z } from "zod";
import type { Context } from "../request/context.ts";
import type { createWebhookContract, NewWebhook } from "./contract.ts";
import { requireReceiver } from "./require-receiver.ts";
import { sealHeaders } from "./seal-headers.ts";
import { storeSecret } from "./store-secret.ts";

export async function createWebhook(
  ctx: Context,
  { secret, headers, ...input }: z.output<NonNullable<typeof createWebhookContract.body>>,
): Promise<NewWebhook> {
  requireReceiver(input.url);
  const sealed = { headers: headers && sealHeaders(headers, ctx.tenantId) };
  return storeSecret(ctx, "create_webhook", { ...input, ...sealed }, secret);
}
