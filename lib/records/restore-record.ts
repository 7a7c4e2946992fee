import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import type { RecordContracts, StoredRecord } from "./contract.ts";
import { storedRecord, tagged } from "./stored.ts";

export async function restoreRecord(ctx: Context, contracts: RecordContracts, id: string): Promise<StoredRecord> {
  return tagged(ctx, await write(ctx, "restore_record", { surface: contracts.surface, id }, storedRecord(contracts)));
}
