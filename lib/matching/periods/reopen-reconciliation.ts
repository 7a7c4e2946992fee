import type { z } from "zod";
import { write } from "../../db/call.ts";
import type { Reconciliation } from "../../reconciliations/contract.ts";
import type { Context } from "../../request/context.ts";
import { tagged } from "../../request/versions.ts";
import type { reopenReconciliationContract } from "./contract.ts";

export async function reopenReconciliation(
  ctx: Context,
  id: string,
  input: z.output<NonNullable<typeof reopenReconciliationContract.body>>,
): Promise<Reconciliation> {
  return tagged(ctx, await write<Reconciliation>(ctx, "reopen_reconciliation", { ...input, id }));
}
