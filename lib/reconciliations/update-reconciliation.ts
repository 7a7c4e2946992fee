import type { z } from "zod";
import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import { type Reconciliation, reconciliation, type updateReconciliationContract } from "./contract.ts";

export function updateReconciliation(
  ctx: Context,
  id: string,
  patch: z.output<NonNullable<typeof updateReconciliationContract.body>>,
): Promise<Reconciliation> {
  return write(ctx, "update_reconciliation", { id, patch }, reconciliation);
}
