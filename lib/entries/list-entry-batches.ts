import { z } from "zod";
import { readPage } from "../db/page.ts";
import type { Context } from "../request/context.ts";
import { type EntryBatch, entryBatch, type listEntryBatchesContract } from "./contract.ts";

type Contract = typeof listEntryBatchesContract;

const NEWEST_FIRST = { name: "id", key: z.tuple([entryBatch.shape.id]) };

export function listEntryBatches(
  ctx: Context,
  query: z.output<Contract["query"]>,
): Promise<z.input<Contract["response"]>> {
  return readPage<EntryBatch>(ctx, "list_entry_batches", NEWEST_FIRST, query);
}
