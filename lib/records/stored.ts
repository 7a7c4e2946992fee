import type { Context } from "../request/context.ts";
import { tagged } from "../request/versions.ts";
import type { StoredRecord } from "./contract.ts";

/**
 * A record as the database returns it. The version is outside, since a record can have a field of
 * that name.
 */
export type Stored = { version: number; record: StoredRecord };

export function recordOf(ctx: Context, stored: Stored): StoredRecord {
  return tagged(ctx, stored).record;
}
