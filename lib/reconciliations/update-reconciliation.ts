import type { z } from "zod";
import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { Reconciliation, updateReconciliationContract } from "./contract.ts";

export async function updateReconciliation(
  ctx: Context,
  id: string,
  patch: z.output<NonNullable<typeof updateReconciliationContract.body>>,
): Promise<Reconciliation> {
  return tagged(ctx, await write<Reconciliation>(ctx, "update_reconciliation", { id, patch }));
}
