import type { z } from "zod";
import type { Context } from "../request/context.ts";
import type { createWebhookContract, NewWebhook } from "./contract.ts";
import { requireReceiver } from "./require-receiver.ts";
import { sealClient, sealHeaders } from "./seal-headers.ts";
import { storeSecret } from "./store-secret.ts";

export async function createWebhook(
  ctx: Context,
  { secret, headers, oauth, ...input }: z.output<NonNullable<typeof createWebhookContract.body>>,
): Promise<NewWebhook> {
  requireReceiver(input.url);
  if (oauth) requireReceiver(oauth.token_url, "oauth.token_url");
  const sealed = {
    headers: headers && sealHeaders(headers, ctx.tenantId),
    oauth: oauth && sealClient(oauth, ctx.tenantId),
  };
  return storeSecret(ctx, "create_webhook", { ...input, ...sealed }, secret);
}
