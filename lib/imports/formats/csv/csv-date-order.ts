import type { DateFormat } from "../mapping.ts";
import { fieldsNamed, plainWords } from "./csv-words.ts";

/** Words of English column names, and words that other languages share with English. */
const ENGLISH = new Set(
  `account amount amt at automatic available balance bank batch beneficiary booked booking c card cash cd
  check cheque client code comment comments communication company completed contact counter counterparty
  cr created credit creditor credits curr currency customer d date datetime dc debit debitor debits debtor
  deposit deposits desc description detail details direction doc document dr dt effective end entry eur
  euro external extended f fee finished fitid from further gbp gl gross group id in incoming indicator
  inflow information invoice iban bic iso item journal key kind label line local made memo merchant message
  minus mode money n name narration narrative nature net no note notes number on opening or order other
  our out outflow outgoing paid particulars partner party payee payer payment payments payout plus post
  posted posting processed purpose reason receipts received recipient ref reference remarks remittance
  s sender settlement sign signed source spent started status subject supplier symbol target text time to
  total trans transaction transactions transfer txn type unique usd utc uuid val value vendor voucher
  withdrawal withdrawals wording your`.split(/\s+/),
);
/** Currencies of countries where another language than English also writes the month first. */
const MONTH_FIRST = new Set(["USD", "CAD", "PHP", "PAB"]);
const COLUMNS_MIN = 2;

/**
 * The formats that a header leaves: in other languages than English, the day stands before the
 * month. Two columns have to be in another language, because a single word may be a name.
 */
export function formatsByLanguage(
  formats: DateFormat[],
  columns: readonly string[],
  currency: string | undefined,
): DateFormat[] {
  if (currency === undefined || MONTH_FIRST.has(currency)) return formats;
  const foreign = columns.filter(
    (name) =>
      fieldsNamed(name).length > 0 &&
      !plainWords(name)
        .split(" ")
        .some((word) => ENGLISH.has(word)),
  );
  const dayFirst = formats.filter((format) => !format.startsWith("MM"));
  return foreign.length >= COLUMNS_MIN && dayFirst.length > 0 ? dayFirst : formats;
}
