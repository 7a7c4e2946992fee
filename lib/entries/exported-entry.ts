import { decimalText } from "../wire/decimal-text.ts";
import type { Entry, EntryBatch, ExportedEntry } from "./contract.ts";

/** An entry, together with the fields that all entries of its batch share. */
export function exportedEntry(
  entry: Entry,
  { number, posting_date }: Pick<EntryBatch, "number" | "posting_date">,
): ExportedEntry {
  const amount = decimalText(entry.amount_minor, entry.currency);
  return { batch_number: number, posting_date, ...entry, amount };
}
