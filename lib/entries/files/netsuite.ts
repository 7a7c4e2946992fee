import { decimalsOf } from "../../wire/currencies.ts";
import {
  type Cell,
  csvRows,
  documentNumber,
  type EntryFileWriter,
  formatDay,
  isAccountDebited,
  twoDecimals,
  unsuitableEntry,
} from "./entry-file-writer.ts";

const COLUMNS = [
  "External ID",
  "Date",
  "Currency",
  "Memo",
  "Account",
  "Debit",
  "Credit",
  "Line Memo",
  "Department",
  "Tax Code",
];
/** Ten digits, a point and two decimals. */
const AMOUNT_MAX = 13;

/**
 * NetSuite's import of journal entries, by
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1534492737.html (lines) and
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_N1472877.html: rows of one
 * external ID are one journal, which a second import doesn't duplicate.
 */
export const netsuite: EntryFileWriter = {
  charset: "utf-8",
  header: () => csvRows([COLUMNS]),
  rows: (entry, file) => {
    const { debit_account, credit_account, currency, cost_center, tax_code, text } = entry;
    const amount = twoDecimals(entry.amount_minor, decimalsOf(currency) ?? 2);
    if (amount === null || amount.length > AMOUNT_MAX)
      throw unsuitableEntry(
        file,
        entry,
        "NetSuite takes amounts of at most 10 digits and 2 decimals.",
      );
    const line = (account: string, debit: Cell, credit: Cell, isTaxed: boolean): Cell[] => [
      `tieout-${documentNumber(file, entry)}`,
      { digits: formatDay("{M}/{D}/{Y}", file.batch.posting_date) },
      currency,
      file.batch.reconciliation_name,
      account,
      debit,
      credit,
      text,
      cost_center,
      isTaxed ? tax_code : null,
    ];
    const digits = { digits: amount };
    const isDebitTaxed = isAccountDebited(entry);
    return csvRows([
      line(debit_account, digits, null, isDebitTaxed),
      line(credit_account, null, digits, !isDebitTaxed),
    ]);
  },
};
