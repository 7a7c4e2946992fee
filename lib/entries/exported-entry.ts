import { decimalText } from "../wire/decimal-text.ts";
import type { Entry, EntryBatch, ExportedEntry } from "./contract.ts";

/** An entry with what is the same for its whole batch. */
export function exportedEntry(
  entry: Entry,
  { number, posting_date }: Pick<EntryBatch, "number" | "posting_date">,
): ExportedEntry {
  const amount = decimalText(entry.amount_minor, entry.currency);
  return { batch_number: number, posting_date, ...entry, amount };
}
