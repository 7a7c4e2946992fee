import { write } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { EntryBatch } from "./contract.ts";

export function pushEntryBatch(ctx: Context, id: string): Promise<EntryBatch> {
  return write<EntryBatch>(ctx, "push_entry_batch", { id });
}
