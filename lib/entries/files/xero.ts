import { decimalText } from "../../wire/decimal-text.ts";
import {
  type Cell,
  csvRows,
  documentNumber,
  type EntryFileWriter,
  formatDay,
  requireFit,
  truncate,
} from "./entry-file-writer.ts";

const COLUMNS = [
  "*Narration",
  "*Date",
  "Description",
  "*AccountCode",
  "*TaxRate",
  "*Amount",
  "TrackingName1",
  "TrackingOption1",
];

/**
 * Xero's template for manual journals, by https://help.xero.com/nz/ManualJournalsImport: lines of
 * the same narration and date are one journal, a positive amount is a debit, and a file has at most
 * 300 lines. A tax rate is named in each line.
 */
export const xero: EntryFileWriter = {
  charset: "utf-8",
  header: () => csvRows([COLUMNS]),
  rows: (entry, file) => {
    const { debit_account, credit_account, currency, tax_code, cost_center, text } = entry;
    const amount = decimalText(entry.amount_minor, currency);
    const tax = requireFit(
      file,
      entry,
      "tax_code",
      tax_code ?? "",
      /^.{1,50}$/,
      "the name of a tax rate in Xero, such as Tax Exempt",
    );
    const line = (field: string, account: string, signed: string): Cell[] => [
      `${documentNumber(file, entry)} ${truncate(text, 200)}`,
      { digits: formatDay("{D}/{M}/{Y}", file.batch.posting_date) },
      text,
      requireFit(file, entry, field, account, /^.{1,10}$/, "at most 10 characters for Xero"),
      tax,
      { digits: signed },
      cost_center === null ? null : "Cost centre",
      cost_center,
    ];
    return csvRows([
      line("debit_account", debit_account, amount),
      line("credit_account", credit_account, `-${amount}`),
    ]);
  },
};
