import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { Reconciliation } from "./contract.ts";

export async function getReconciliation(ctx: Context, id: string): Promise<Reconciliation> {
  return tagged(ctx, await read<Reconciliation>(ctx, "get_reconciliation", { id }));
}
