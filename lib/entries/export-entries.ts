import type { z } from "zod";
import type { Context } from "../request/context.ts";
import { everyPage } from "../request/every-page.ts";
import type { Exported } from "../wire/contract.ts";
import type { Entry, EntryBatch, ExportedEntry, listEntriesContract } from "./contract.ts";
import { exportedEntry } from "./exported-entry.ts";
import { getEntryBatch } from "./get-entry-batch.ts";
import { listEntries } from "./list-entries.ts";

/** Every entry of a batch, page by page. */
export async function exportEntries(
  ctx: Context,
  id: string,
  { currency }: z.output<typeof listEntriesContract.query>,
): Promise<Exported> {
  const batch = await getEntryBatch(ctx, id);
  const step = { ...ctx, exported: null, continues: true };
  return { pages: pagesOf(step, batch, currency), name: `entries-${batch.number}` };
}

async function* pagesOf(
  ctx: Context,
  batch: EntryBatch,
  currency: string | undefined,
): AsyncGenerator<ExportedEntry[]> {
  for await (const entries of everyPage(ctx, (step, page) =>
    listEntries(step, batch.id, { ...page, currency }),
  ))
    yield (entries as Entry[]).map((entry) => exportedEntry(entry, batch));
}
