import type { Context } from "../context.ts";
import { read } from "../db/call.ts";
import { tagged } from "../versions.ts";
import type { Webhook } from "./contract.ts";

export async function getWebhook(ctx: Context, id: string): Promise<Webhook> {
  return tagged(ctx, await read<Webhook>(ctx, "get_webhook", { id }));
}
