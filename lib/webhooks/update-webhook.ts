import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { updateWebhookContract, Webhook } from "./contract.ts";
import { requireReceiver } from "./require-receiver.ts";
import { sealClient, sealHeaders } from "./seal-headers.ts";

export async function updateWebhook(
  ctx: Context,
  id: string,
  { headers, oauth, ...fields }: z.output<NonNullable<typeof updateWebhookContract.body>>,
): Promise<Webhook> {
  if (fields.url !== undefined) requireReceiver(fields.url);
  if (oauth) requireReceiver(oauth.token_url, "oauth.token_url");
  const patch = {
    ...fields,
    ...(headers && { headers: sealHeaders(headers, ctx.tenantId) }),
    ...(oauth !== undefined && { oauth: oauth && sealClient(oauth, ctx.tenantId) }),
  };
  return tagged(ctx, await write<Webhook>(ctx, "update_webhook", { id, patch }));
}
