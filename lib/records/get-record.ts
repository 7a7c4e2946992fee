import type { Context } from "../context.ts";
import { read } from "../db/call.ts";
import type { RecordContracts, StoredRecord } from "./contract.ts";
import { storedRecord, tagged } from "./stored.ts";

/** `include_deleted`: "true" for a tenant admin who looks into the bin. */
export async function getRecord(
  ctx: Context,
  contracts: RecordContracts,
  id: string,
  { include_deleted }: { include_deleted?: string },
): Promise<StoredRecord> {
  return tagged(ctx, await read(ctx, "get_record", { surface: contracts.surface, id, include_deleted }, storedRecord(contracts)));
}
