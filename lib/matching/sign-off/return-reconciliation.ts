import { write } from "../../db/call.ts";
import type { Reconciliation } from "../../reconciliations/contract.ts";
import type { Context } from "../../request/context.ts";
import { tagged } from "../../request/versions.ts";

export async function returnReconciliation(
  ctx: Context,
  id: string,
  reason: string,
): Promise<Reconciliation> {
  return tagged(ctx, await write<Reconciliation>(ctx, "return_reconciliation", { id, reason }));
}
