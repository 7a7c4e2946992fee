import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import type { EntryBatch } from "./contract.ts";

export function getEntryBatch(ctx: Context, id: string): Promise<EntryBatch> {
  return read<EntryBatch>(ctx, "get_entry_batch", { id });
}
