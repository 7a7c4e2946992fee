import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { RecordContracts, StoredRecord } from "./contract.ts";
import { requireOwnTenant } from "./own-tenant.ts";
import { recordOf, type Stored } from "./stored.ts";

export async function updateRecord(
  ctx: Context,
  { surface }: RecordContracts,
  id: string,
  patch: Record<string, unknown>,
): Promise<StoredRecord> {
  requireOwnTenant(ctx, patch);
  return recordOf(ctx, await write<Stored>(ctx, "update_record", { surface, id, patch }));
}
