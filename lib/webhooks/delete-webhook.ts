import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { deleteWebhookContract } from "./contract.ts";

export function deleteWebhook(
  ctx: Context,
  id: string,
): Promise<z.output<typeof deleteWebhookContract.response>> {
  return write(ctx, "delete_webhook", { id });
}
