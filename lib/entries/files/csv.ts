import { ENTRY_COLUMNS } from "../contract.ts";
import { exportedEntry } from "../exported-entry.ts";
import { csvRows, type EntryFileWriter } from "./entry-file-writer.ts";

/** The columns of exported entries, for each program whose import can be configured. */
export const csv: EntryFileWriter = {
  charset: "utf-8",
  header: () => csvRows([ENTRY_COLUMNS]),
  rows: (entry, { batch }) => {
    const exported = exportedEntry(entry, batch);
    return csvRows([ENTRY_COLUMNS.map((column) => exported[column])]);
  },
};
