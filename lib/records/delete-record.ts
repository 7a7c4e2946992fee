import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import { allowedVersions } from "../versions.ts";
import type { RecordContracts, StoredRecord } from "./contract.ts";
import { storedRecord, tagged } from "./stored.ts";

export async function deleteRecord(ctx: Context, contracts: RecordContracts, id: string): Promise<StoredRecord> {
  const input = { surface: contracts.surface, id, versions: allowedVersions(ctx) };
  return tagged(ctx, await write(ctx, "delete_record", input, storedRecord(contracts)));
}
