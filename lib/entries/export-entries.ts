import type { z } from "zod";
import type { Context } from "../request/context.ts";
import { everyPage } from "../request/every-page.ts";
import { decimalText } from "../wire/decimal-text.ts";
import type { Entry, ExportedEntry, listEntriesContract } from "./contract.ts";
import { getEntryBatch } from "./get-entry-batch.ts";
import { listEntries } from "./list-entries.ts";

/** Every entry of a batch, with what is the same for all of them. */
export async function* exportEntries(
  ctx: Context,
  id: string,
  { currency }: z.output<typeof listEntriesContract.query>,
): AsyncGenerator<ExportedEntry[]> {
  const { number: batch_number, posting_date } = await getEntryBatch(ctx, id);
  const step = { ...ctx, exported: null, continues: true };
  for await (const entries of everyPage(step, (next, page) =>
    listEntries(next, id, { ...page, currency }),
  ))
    yield (entries as Entry[]).map((entry) => ({
      batch_number,
      posting_date,
      ...entry,
      amount: decimalText(entry.amount_minor, entry.currency),
    }));
}
