import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { RecordContracts, StoredRecord } from "./contract.ts";
import { recordOf, type Stored } from "./stored.ts";

export async function restoreRecord(
  ctx: Context,
  { surface }: RecordContracts,
  id: string,
): Promise<StoredRecord> {
  return recordOf(ctx, await write<Stored>(ctx, "restore_record", { surface, id }));
}
