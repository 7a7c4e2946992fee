import type { z } from "zod";
import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import { type createReconciliationContract, type Reconciliation, reconciliation } from "./contract.ts";

export function createReconciliation(
  ctx: Context,
  input: z.output<NonNullable<typeof createReconciliationContract.body>>,
): Promise<Reconciliation> {
  return write(ctx, "create_reconciliation", input, reconciliation);
}
