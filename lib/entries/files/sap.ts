import { decimalText } from "../../wire/decimal-text.ts";
import { ApiError } from "../../wire/errors.ts";
import {
  type Cell,
  documentNumber,
  type EntryFileWriter,
  formatDay,
  isAccountDebited,
  requireFit,
  tabbedRows,
  truncate,
} from "./entry-file-writer.ts";

/** The fields of a document's header (BBKPF) and of its line (BBSEG), by their technical names. */
const FIELDS = [
  "BUKRS",
  "BLART",
  "BLDAT",
  "BUDAT",
  "WAERS",
  "XBLNR",
  "BKTXT",
  "NEWBS",
  "NEWKO",
  "WRBTR",
  "MWSKZ",
  "KOSTL",
  "SGTXT",
];
const GENERAL_LEDGER_DOCUMENT = "SA";
const DEBIT = "40";
const CREDIT = "50";

/**
 * A flat file for SAP with a document per entry, two lines of the same XBLNR: the fields of the
 * transfer structures for accounting documents, BBKPF and BBSEG, by
 * https://help.sap.com/saphelp_470/helpdata/en/e9/cb8a85eb0011d184650000e8a6bfbe/content.htm, with
 * at most the lengths of https://leanx.eu/en/sap/table/bbseg.html. Posting keys 40 and 50 debit and
 * credit a general ledger account.
 */
export const sap: EntryFileWriter = {
  charset: "utf-8",
  header: ({ ledger }) => {
    if (ledger.sap_company_code === null)
      throw new ApiError(
        "conflict",
        "A file for SAP names the company code. Set sap_company_code in the entry rules.",
        { reason: "unsuitable_entry" },
      );
    return tabbedRows([FIELDS]);
  },
  rows: (entry, file) => {
    const { debit_account, credit_account, currency, tax_code, cost_center, text } = entry;
    const day = { digits: formatDay("{Y}{M}{D}", file.batch.posting_date) };
    const within = (field: string, value: string | null, max: number) =>
      value &&
      requireFit(file, entry, field, value, new RegExp(`^.{1,${max}}$`), `at most ${max} for SAP`);
    const number = within("document number", documentNumber(file, entry), 16);
    const line = (key: string, field: string, account: string, isRuleAccount: boolean): Cell[] => [
      file.ledger.sap_company_code,
      GENERAL_LEDGER_DOCUMENT,
      day,
      day,
      currency,
      number,
      truncate(file.batch.reconciliation_name, 25),
      { digits: key },
      within(field, account, 10),
      { digits: decimalText(entry.amount_minor, currency) },
      within("tax_code", isRuleAccount ? tax_code : null, 2),
      within("cost_center", isRuleAccount ? cost_center : null, 10),
      truncate(text, 50),
    ];
    const isDebitRuleAccount = isAccountDebited(entry);
    return tabbedRows([
      line(DEBIT, "debit_account", debit_account, isDebitRuleAccount),
      line(CREDIT, "credit_account", credit_account, !isDebitRuleAccount),
    ]);
  },
};
