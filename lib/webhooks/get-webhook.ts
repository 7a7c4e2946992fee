import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { Webhook } from "./contract.ts";

export async function getWebhook(ctx: Context, id: string): Promise<Webhook> {
  return tagged(ctx, await read<Webhook>(ctx, "get_webhook", { id }));
}
