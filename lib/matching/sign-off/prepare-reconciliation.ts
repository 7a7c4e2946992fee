import { write } from "../../db/call.ts";
import type { Reconciliation } from "../../reconciliations/contract.ts";
import type { Context } from "../../request/context.ts";
import { tagged } from "../../request/versions.ts";

export async function prepareReconciliation(
  ctx: Context,
  id: string,
  { note }: { note?: string },
): Promise<Reconciliation> {
  return tagged(ctx, await write<Reconciliation>(ctx, "prepare_reconciliation", { id, note }));
}
