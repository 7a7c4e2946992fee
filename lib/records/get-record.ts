import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { RecordContracts, StoredRecord } from "./contract.ts";
import { recordOf, type Stored } from "./stored.ts";

/** `include_deleted: "true"` lets a tenant admin read a deleted record. */
export async function getRecord(
  ctx: Context,
  { surface }: RecordContracts,
  id: string,
  query: { include_deleted?: string },
): Promise<StoredRecord> {
  return recordOf(ctx, await read<Stored>(ctx, "get_record", { surface, id, ...query }));
}
