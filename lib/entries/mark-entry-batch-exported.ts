import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { EntryBatch } from "./contract.ts";

export function markEntryBatchExported(
  ctx: Context,
  id: string,
  ledger_reference: string | null,
): Promise<EntryBatch> {
  return write<EntryBatch>(ctx, "mark_entry_batch_exported", { id, ledger_reference });
}
