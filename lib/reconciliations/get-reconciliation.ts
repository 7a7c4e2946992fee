import type { Context } from "../context.ts";
import { read } from "../db/call.ts";
import { type Reconciliation, reconciliation } from "./contract.ts";

export function getReconciliation(ctx: Context, id: string): Promise<Reconciliation> {
  return read(ctx, "get_reconciliation", { id }, reconciliation);
}
