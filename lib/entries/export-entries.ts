import type { z } from "zod";
import type { Context } from "../request/context.ts";
import { everyPage } from "../request/every-page.ts";
import type { Entry, ExportedEntry, listEntriesContract } from "./contract.ts";
import { exportedEntry } from "./exported-entry.ts";
import { getEntryBatch } from "./get-entry-batch.ts";
import { listEntries } from "./list-entries.ts";

/** Every entry of a batch, page by page. */
export async function* exportEntries(
  ctx: Context,
  id: string,
  { currency }: z.output<typeof listEntriesContract.query>,
): AsyncGenerator<ExportedEntry[]> {
  const batch = await getEntryBatch(ctx, id);
  const step = { ...ctx, exported: null, continues: true };
  for await (const entries of everyPage(step, (next, page) =>
    listEntries(next, id, { ...page, currency }),
  ))
    yield (entries as Entry[]).map((entry) => exportedEntry(entry, batch));
}
