import type { Context } from "../context.ts";
import { write } from "../db/call.ts";
import type { RecordContracts, StoredRecord } from "./contract.ts";
import { requireOwnTenant } from "./own-tenant.ts";
import { storedRecord, tagged } from "./stored.ts";

/** Keeps the idempotency key with the record's other fields, wherever it came from: a retry may send it elsewhere. */
export async function createRecord(ctx: Context, contracts: RecordContracts, body: Record<string, unknown>): Promise<StoredRecord> {
  requireOwnTenant(ctx, body);
  const data = { ...body, idempotencyKey: ctx.idempotency?.key };
  return tagged(ctx, await write(ctx, "create_record", { surface: contracts.surface, data }, storedRecord(contracts)));
}
