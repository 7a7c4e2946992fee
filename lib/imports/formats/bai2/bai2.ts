import { decimalsOf } from "../../../wire/currencies.ts";
import { minorAmount } from "../../../wire/money.ts";
import { TextLines } from "../../../wire/text-lines.ts";
import { sixDigitDay } from "../dates.ts";
import type { ImportLine } from "../line.ts";
import { DetailsBuilder } from "../line-collector.ts";
import { LINE_MAX_LENGTH, type Reader, type Reading } from "../reader.ts";
import { refuseFile } from "../refusal.ts";
import { Statement } from "../statement.ts";
import { AccountNumbers } from "./account-numbers.ts";
import { Bai2Totals, detailOf, fundsOf, monthFirstDay, summaryOf } from "./bai2-fields.ts";
import { type Bai2Record, Bai2Records } from "./bai2-records.ts";
import { SummaryEntries } from "./bai2-summary-entries.ts";

/** The maximum length of a record with its continuations. */
const RECORD_MAX_LENGTH = 64 * 1024;
const OPENING_LEDGER = "010";
const CLOSING_LEDGER = "015";
/** The standard's default for a group that names no currency. */
const DEFAULT_CURRENCY = "USD";
/** The as-of date modifier of a group whose entries may still change on the same day. */
const INTERIM_SAME_DAY = "3";

/** `day` is null if the group was refused; then its entries are refused too. */
type Group = {
  totals: Bai2Totals;
  day: string | null;
  /** The as-of date as the file writes it. */
  date: string;
  currency: string;
  isInterim: boolean;
};
type Account = {
  totals: Bai2Totals;
  statement: Statement;
  currency: string;
  summaryEntries: SummaryEntries;
};

/**
 * BAI2 balance reporting, "Cash Management Balance Reporting Specifications", version 2. Detail
 * records (16) become lines, credits or debits by their type code; non-monetary ones are skipped.
 * The value date is that of funds type V, otherwise the group's as-of date. Amounts have no decimal
 * point: the currency determines their decimals. Trailers (49, 98, 99) are checked: sums, records,
 * accounts and groups. An error in a group or an account refuses only that part. If an account also
 * has a finished day, its entries of the current day are provisional, not booked, and are skipped.
 * @throws FileRefused if the file has no header or no trailer, or an account's finished days follow
 * its entries of the current day
 */
export function readBai2({ out, currency: sourceCurrency }: Reading): Reader {
  let file = new Bai2Totals();
  let group: Group | undefined;
  let account: Account | undefined;
  /** Whether all groups were read, so that the file's trailer can be checked. */
  let isFileRead = true;
  /** When the file was created, as its header writes it. */
  let createdOn = "";
  const finalAccounts = new AccountNumbers();
  /** Accounts whose interim entries were read, because no finished day came before them. */
  const interimAccounts = new AccountNumbers();
  let state: "start" | "file" | "end" = "start";

  const records = new Bai2Records(RECORD_MAX_LENGTH, {
    record: onRecord,
    stray(text, line) {
      if (state === "start")
        throw fault("The file does not begin with its header.", text, "a record 01", line);
      if (state === "end")
        throw fault("Something follows the file's trailer.", text, "nothing after 99", line);
      const expected = "one of 01, 02, 03, 16, 49, 88, 98, 99 and a comma";
      out.refuse({ line }, null, "This is not a record.", text, expected, account?.statement);
    },
    tooLong({ line }) {
      throw fault("The record is too long.", "", `at most ${RECORD_MAX_LENGTH} characters`, line);
    },
  });
  const lines = new TextLines(
    LINE_MAX_LENGTH,
    (line) => records.read(line, lines.number),
    () => {
      throw fault("The line is too long.", "", `at most ${LINE_MAX_LENGTH} characters`);
    },
  );

  function fault(problem: string, found: string, wanted: string, line = lines.number): Error {
    return refuseFile({ line }, null, problem, found, wanted);
  }

  function refuse({ line, code }: Bai2Record, problem: string, found: string, wanted: string) {
    out.refuse({ line }, code, problem, found, wanted, account?.statement);
  }

  function onRecord(record: Bai2Record) {
    const { code, text, line } = record;
    if (state === "start" && code !== "01")
      throw fault("The file does not begin with its header.", text, "a record 01", line);
    if (state === "file" && code === "01")
      throw fault("The file has two headers.", text, "one record 01", line);
    if (state === "end" && code !== "01")
      throw fault("Something follows the file's trailer.", text, "nothing after 99", line);
    // Several files may be concatenated.
    if (code === "01") {
      state = "file";
      file = new Bai2Totals();
      isFileRead = true;
      createdOn = text.split(",")[3] ?? "";
    }
    for (const totals of [file, group?.totals, account?.totals]) totals?.count(record);
    const fields = text.split(",");
    if (code === "02") beginGroup(record, fields);
    else if (code === "03") beginAccount(record, fields);
    else if (code === "16") readDetail(record, fields);
    else if (code === "49") endAccount(record, fields);
    else if (code === "98") endGroup(record, fields);
    else if (code === "99") {
      if (group) dropGroup(record);
      if (isFileRead) out.control(file.agrees(fields[1], fields[2], fields[3]));
      state = "end";
    }
  }

  function beginGroup(record: Bai2Record, fields: string[]) {
    if (group) dropGroup(record);
    const [, , , status = "", date = "", , currency = "", modifier = ""] = fields;
    const isInterim = modifier.trim() === INTERIM_SAME_DAY;
    const day = sixDigitDay(date);
    const otherDay = monthFirstDay(date, createdOn);
    const isUpdate = status === "1";
    if (!isUpdate)
      refuse(
        record,
        "The group is no update.",
        status,
        "group status 1; deletions, corrections and tests are not read",
      );
    else if (day === null)
      refuse(record, "The group's date is not a date.", date, "an as-of date as YYMMDD");
    else if (otherDay !== null) {
      const problem = `The group's date can be read as ${day} and as ${otherDay}.`;
      refuse(record, problem, date, "dates as YYMMDD that have no other reading");
    }
    group = {
      totals: new Bai2Totals(),
      day: isUpdate && otherDay === null ? day : null,
      date,
      currency: currency.trim() || sourceCurrency || DEFAULT_CURRENCY,
      isInterim,
    };
    group.totals.count(record);
    if (group.day === null) isFileRead = false;
  }

  function beginAccount(record: Bai2Record, fields: string[]) {
    if (account) dropAccount(record);
    if (!group)
      return refuse(record, "An account is outside of any group.", record.text, "a 02 before it");
    const [, number = "", accountCurrency = ""] = fields;
    if (group.day !== null && !group.isInterim) {
      finalAccounts.add(number.trim());
      if (interimAccounts.has(number.trim()))
        throw fault(
          "An account's entries of today so far come before those of a finished day.",
          record.text,
          "the groups in two files",
          record.line,
        );
    }
    const currency = accountCurrency.trim() || group.currency;
    const statement = new Statement();
    statement.account = number.trim() || null;
    statement.id = statement.account && `${statement.account} ${group.day}`;
    statement.periodStart = group.day;
    statement.periodEnd = group.day;
    account = {
      totals: new Bai2Totals(),
      statement,
      currency,
      summaryEntries: new SummaryEntries(),
    };
    account.totals.count(record);
    if (decimalsOf(currency) === undefined)
      return refuse(record, "This is not a currency.", currency, "an ISO 4217 code such as USD");
    statement.currency = currency;
    if (group.day !== null) readSummary(record, account);
  }

  function readSummary(record: Bai2Record, { statement, totals }: Account) {
    const [first = "", ...more] = record.pieces;
    const summary = summaryOf([first.split(",").slice(3).join(","), ...more]);
    if (typeof summary === "string") {
      statement.contradictory = true;
      const expected = "type code, amount, item count and funds type";
      return refuse(record, "A summary cannot be read.", summary, expected);
    }
    for (const { type, amount } of summary) {
      if (amount === "") continue;
      const minor = minorAmount(amount.replace(/^\+/, ""));
      if (typeof minor !== "number") {
        statement.contradictory = true;
        refuse(record, minor.problem, amount, minor.wanted);
        continue;
      }
      totals.sum += BigInt(minor);
      if (type === OPENING_LEDGER)
        statement.opening = agreedBalance(statement, statement.opening, minor);
      if (type === CLOSING_LEDGER)
        statement.closing = agreedBalance(statement, statement.closing, minor);
    }
  }

  function readDetail(record: Bai2Record, fields: string[]) {
    const position = { line: record.line };
    if (!account || !group)
      return refuse(record, "A detail is outside of any account.", record.text, "a 03 before it");
    if (group.day === null)
      return refuse(record, "The entry's group was refused.", record.text, "a group that is read");
    const read = detailOf(fields);
    const minor = read.amount === "" ? undefined : minorAmount(read.amount.replace(/^\+/, ""));
    if (typeof minor === "number") account.totals.sum += BigInt(minor);
    if (read.direction === 0) return out.skip(position, "non_monetary", record.text);
    if (read.direction === undefined)
      return refuse(
        record,
        "This type code says neither credit nor debit.",
        read.type,
        "100 to 699, 720 to 728, 760 or 920 to 999",
      );
    if (typeof minor !== "number" || minor < 0) {
      const expected = "an amount in minor units without point or sign";
      return refuse(record, "This is not an amount.", read.amount, expected);
    }
    if (account.statement.currency === null)
      return refuse(
        record,
        "The account's currency is not known.",
        account.currency,
        "an ISO 4217 code such as USD",
      );
    const number = account.statement.account ?? "";
    if (group.isInterim && finalAccounts.has(number))
      return out.skip(position, "pending", record.text);
    const funds = fundsOf(read.funds, group.date);
    if (typeof funds === "string")
      return refuse(
        record,
        "The funds type cannot be read.",
        funds,
        "Z, 0, 1, 2, S, V or D with what belongs to it",
      );
    const line: ImportLine = {
      amount_minor: read.direction * minor || 0,
      currency: account.currency,
      value_date: funds.valueDate ?? group.day,
      booked_date: group.day,
      details: new DetailsBuilder()
        .add("type_code", read.type)
        .add("bank_reference", read.bankReference)
        .add("customer_reference", read.customerReference)
        .add("funds_type", funds.type)
        .add("availability", funds.availability).details,
      position,
    };
    const reference = read.customerReference || read.bankReference;
    if (reference) line.reference = reference;
    if (read.text) line.description = read.text;
    if (group.isInterim) interimAccounts.add(number);
    if (!account.summaryEntries.hold(read.type, line, record.text))
      out.add(line, account.statement);
  }

  function endAccount(record: Bai2Record, [, total, count]: string[]) {
    if (!account || !group)
      return refuse(record, "A trailer has no account.", record.text, "a 03 before it");
    account.statement.control(account.totals.agrees(total, undefined, count));
    closeAccount(account, group);
  }

  function closeAccount({ totals, statement, summaryEntries }: Account, within: Group) {
    within.totals.add(totals);
    account = undefined;
    summaryEntries.settle(statement, out);
    if (within.day !== null) out.close(statement);
  }

  function endGroup(record: Bai2Record, [, total, accounts, count]: string[]) {
    if (account) dropAccount(record);
    if (!group) return refuse(record, "A trailer has no group.", record.text, "a 02 before it");
    if (group.day !== null) out.control(group.totals.agrees(total, accounts, count));
    file.add(group.totals);
    group = undefined;
  }

  /** Ends an account without a trailer, which may lack lines, too. */
  function dropAccount(record: Bai2Record) {
    refuse(record, "An account has no trailer.", record.text, "a 49 before it");
    account?.statement.control(false);
    if (account && group) closeAccount(account, group);
  }

  function dropGroup(record: Bai2Record) {
    if (account) dropAccount(record);
    refuse(record, "A group has no trailer.", record.text, "a 98 before it");
    if (group) file.add(group.totals);
    group = undefined;
  }

  return {
    read: (text) => lines.read(text),
    end() {
      lines.end();
      records.end();
      if (state !== "end")
        throw fault("The file ends in the middle.", "", "the rest of it, up to the trailer 99");
    },
  };
}

/** The balance; one that the account states twice must be the same. */
function agreedBalance(statement: Statement, before: number | null, minor: number): number {
  if (before !== null && before !== minor) statement.contradictory = true;
  return minor;
}
