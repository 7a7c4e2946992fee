import { write } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import type { SourceBalance } from "./contract.ts";

export function removeSourceBalance(
  ctx: Context,
  sourceId: string,
  id: string,
): Promise<SourceBalance> {
  return write(ctx, "remove_source_balance", { source_id: sourceId, id });
}
