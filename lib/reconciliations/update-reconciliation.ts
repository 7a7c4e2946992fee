import type { z } from "zod";
import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import { tagged } from "../versions.ts";
import type { Reconciliation, updateReconciliationContract } from "./contract.ts";

export async function updateReconciliation(
  ctx: Context,
  id: string,
  patch: z.output<NonNullable<typeof updateReconciliationContract.body>>,
): Promise<Reconciliation> {
  return tagged(ctx, await write<Reconciliation>(ctx, "update_reconciliation", { id, patch }));
}
