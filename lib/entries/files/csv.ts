import { decimalText } from "../../wire/decimal-text.ts";
import { type Cell, csvRows, type LedgerWriter } from "./ledger-writer.ts";

const COLUMNS = [
  "batch_number",
  "place",
  "posting_date",
  "debit_account",
  "credit_account",
  "amount",
  "currency",
  "text",
  "tax_code",
  "cost_center",
  "kind",
  "value_date",
  "reference",
  "counterparty",
  "subject_id",
  "reverses",
];

/** Columns that each program can be taught, named as in the export of entries. */
export const csv: LedgerWriter = {
  name: "CSV",
  charset: "utf-8",
  maxEntries: 100_000,
  fileName: ({ batch }) => `entries-${batch.number}.csv`,
  header: () => csvRows([COLUMNS]),
  rows: (entry, { batch }) => {
    const cells: Cell[] = [
      { digits: batch.number },
      { digits: `${entry.place}` },
      { digits: batch.posting_date },
      entry.debit_account,
      entry.credit_account,
      { digits: decimalText(entry.amount_minor, entry.currency) },
      entry.currency,
      entry.text,
      entry.tax_code,
      entry.cost_center,
      entry.kind,
      { digits: entry.value_date },
      entry.reference,
      entry.counterparty,
      entry.subject_id,
      entry.reverses,
    ];
    return csvRows([cells]);
  },
};
