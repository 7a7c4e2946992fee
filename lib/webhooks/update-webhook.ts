import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { updateWebhookContract, Webhook } from "./contract.ts";
import { requireReceiver } from "./require-receiver.ts";
import { sealHeaders } from "./seal-headers.ts";

export async function updateWebhook(
  ctx: Context,
  id: string,
  { headers, ...fields }: z.output<NonNullable<typeof updateWebhookContract.body>>,
): Promise<Webhook> {
  if (fields.url !== undefined) requireReceiver(fields.url);
  const patch = { ...fields, ...(headers && { headers: sealHeaders(headers, ctx.tenantId) }) };
  return tagged(ctx, await write<Webhook>(ctx, "update_webhook", { id, patch }));
}
