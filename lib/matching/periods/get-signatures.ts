import { read } from "../../db/call.ts";
import type { PeriodSignature, Reconciliation } from "../../reconciliations/contract.ts";
import type { Context } from "../../request/context.ts";
import type { Signature, Statement } from "./contract.ts";

/**
 * The signatures of the signed statement if the period is closed, otherwise the valid ones.
 * `digest`: that of the signed statement. `ctx` must continue a request.
 */
export async function getSignatures(
  ctx: Context,
  { reconciliation_id: id, closed_at }: Pick<Statement, "reconciliation_id" | "closed_at">,
): Promise<{ signatures: readonly PeriodSignature[]; digest: string | null }> {
  if (closed_at !== null) {
    const { items } = await read<{ items: Signature[] }>(ctx, "list_signed_statements", {
      id,
      limit: 1,
      after: null,
    });
    const [newest] = items;
    return { signatures: newest?.signatures ?? [], digest: newest?.digest ?? null };
  }
  const { sign_off } = await read<Reconciliation>(ctx, "get_reconciliation", { id });
  return { signatures: sign_off?.signatures ?? [], digest: null };
}
