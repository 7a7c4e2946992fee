import { read } from "../../db/call.ts";
import type { Context } from "../../request/context.ts";
import { tagged } from "../../request/versions.ts";
import type { SourceBalance } from "./contract.ts";

export async function getSourceBalance(
  ctx: Context,
  sourceId: string,
  id: string,
): Promise<SourceBalance> {
  return tagged(
    ctx,
    await read<SourceBalance>(ctx, "get_source_balance", { source_id: sourceId, id }),
  );
}
