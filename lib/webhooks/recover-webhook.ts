import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { Recovery } from "./contract.ts";

export function recoverWebhook(
  ctx: Context,
  id: string,
  input: { since: string; dry_run: boolean },
): Promise<Recovery> {
  return write(ctx, "recover_webhook", { id, ...input });
}
