import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { RecordContracts, StoredRecord } from "./contract.ts";
import { requireOwnTenant } from "./own-tenant.ts";
import { recordOf, type Stored } from "./stored.ts";

/**
 * Stores the idempotency key with the record's other fields, whether it came in the header or the
 * body, since a retry may send it in the other.
 */
export async function createRecord(
  ctx: Context,
  { surface }: RecordContracts,
  body: Record<string, unknown>,
): Promise<StoredRecord> {
  requireOwnTenant(ctx, body);
  const data = { ...body, idempotencyKey: ctx.idempotency?.key };
  return recordOf(ctx, await write<Stored>(ctx, "create_record", { surface, data }));
}
