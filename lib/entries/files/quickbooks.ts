import { decimalText } from "../../wire/decimal-text.ts";
import type { Entry } from "../contract.ts";
import {
  type Cell,
  csvRows,
  documentNumber,
  type EntryFile,
  type EntryFileWriter,
  formatDay,
  tabbedRows,
  truncate,
  unsuitableEntry,
} from "./entry-file-writer.ts";

const COLUMNS = [
  "Journal No.",
  "Journal Date",
  "Account Name",
  "Debits",
  "Credits",
  "Description",
  "Class",
  "Currency",
];
const JOURNAL_NUMBER_MAX = 21;

/**
 * Journal entries for QuickBooks Online, by
 * https://quickbooks.intuit.com/learn-support/en-au/help-article/import-export-files/import-journal-entries-quickbooks-online/L4tQBwbs7_AU_en_AU.
 * Rows of one journal number are one entry; accounts go by name.
 */
export const quickbooks: EntryFileWriter = {
  charset: "utf-8",
  header: () => csvRows([COLUMNS]),
  rows: (entry, file) => {
    const { debit_account, credit_account, currency, cost_center, text } = entry;
    const amount = { digits: decimalText(entry.amount_minor, currency) };
    const number = documentNumber(file, entry);
    if (number.length > JOURNAL_NUMBER_MAX)
      throw unsuitableEntry(
        file,
        entry,
        "QuickBooks takes journal numbers of at most 21 characters.",
      );
    const line = (account: string, debit: Cell, credit: Cell): Cell[] => [
      number,
      { digits: formatDay("{M}/{D}/{Y}", file.batch.posting_date) },
      account,
      debit,
      credit,
      text,
      cost_center,
      currency,
    ];
    return csvRows([line(debit_account, amount, null), line(credit_account, null, amount)]);
  },
};

const IIF_FIELDS = ["TRNSTYPE", "DATE", "ACCNT", "CLASS", "AMOUNT", "DOCNUM", "MEMO"];
const IIF_NUMBER_MAX = 11;

/**
 * General journal transactions of QuickBooks Desktop (IIF), by
 * http://support.quickbooks.intuit.com/support/Pages/InProductHelp/Core/QB2K8/ContentPackage/Core/IIF/iif_reference_transactions.html:
 * a TRNS line, a SPL line with the opposite amount, ENDTRNS.
 */
export const quickbooksIif: EntryFileWriter = {
  charset: "windows-1252",
  header: () => tabbedRows([["!TRNS", ...IIF_FIELDS], ["!SPL", ...IIF_FIELDS], ["!ENDTRNS"]]),
  rows: (entry, file) => {
    const amount = decimalText(entry.amount_minor, entry.currency);
    return tabbedRows([
      iifLine("TRNS", entry, file, entry.debit_account, amount),
      iifLine("SPL", entry, file, entry.credit_account, `-${amount}`),
      ["ENDTRNS"],
    ]);
  },
};

function iifLine(
  keyword: string,
  entry: Entry,
  file: EntryFile,
  account: string,
  amount: string,
): Cell[] {
  const short = `${file.batch.number.slice(2).replace("-", "")}-${entry.place}`;
  return [
    keyword,
    "GENERAL JOURNAL",
    { digits: formatDay("{M}/{D}/{Y}", file.batch.posting_date) },
    account,
    entry.cost_center,
    { digits: amount },
    // The memo contains the whole number.
    short.length <= IIF_NUMBER_MAX ? { digits: short } : null,
    `${documentNumber(file, entry)} ${truncate(entry.text, 180)}`,
  ];
}
