import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import { allowedVersions } from "../versions.ts";
import type { RecordContracts, StoredRecord } from "./contract.ts";
import { requireOwnTenant } from "./own-tenant.ts";
import { storedRecord, tagged } from "./stored.ts";

export async function updateRecord(
  ctx: Context,
  contracts: RecordContracts,
  id: string,
  patch: Record<string, unknown>,
): Promise<StoredRecord> {
  requireOwnTenant(ctx, patch);
  const input = { surface: contracts.surface, id, patch, versions: allowedVersions(ctx) };
  return tagged(ctx, await write(ctx, "update_record", input, storedRecord(contracts)));
}
