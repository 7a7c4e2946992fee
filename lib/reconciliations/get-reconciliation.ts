import type { Context } from "../context.ts";
import { read } from "../db/call.ts";
import { tagged } from "../versions.ts";
import type { Reconciliation } from "./contract.ts";

export async function getReconciliation(ctx: Context, id: string): Promise<Reconciliation> {
  return tagged(ctx, await read<Reconciliation>(ctx, "get_reconciliation", { id }));
}
