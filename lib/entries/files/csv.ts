import { ENTRY_COLUMNS } from "../contract.ts";
import { exportedEntry } from "../exported-entry.ts";
import { csvRows, FILE_ENTRIES_MAX, type LedgerWriter } from "./ledger-writer.ts";

/** The columns of the export of entries, for each program that can be taught them. */
export const csv: LedgerWriter = {
  name: "CSV",
  charset: "utf-8",
  maxEntries: FILE_ENTRIES_MAX,
  fileName: ({ batch }) => `entries-${batch.number}.csv`,
  header: () => csvRows([ENTRY_COLUMNS]),
  rows: (entry, { batch }) => {
    const exported = exportedEntry(entry, batch);
    return csvRows([ENTRY_COLUMNS.map((column) => exported[column])]);
  },
};
