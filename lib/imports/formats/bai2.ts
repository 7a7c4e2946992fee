import { decimalsOf } from "../../wire/currencies.ts";
import { minorAmount } from "../../wire/money.ts";
import { Bai2Totals, detailOf, fundsOf, summaryOf } from "./bai2-fields.ts";
import { sixDigitDay } from "./dates.ts";
import type { ImportLine } from "./line.ts";
import { DetailsBuilder } from "./line-collector.ts";
import { LINE_MAX_LENGTH, type Reader, type Reading } from "./reader.ts";
import { refuseFile } from "./refusal.ts";
import { Statement } from "./statement.ts";
import { TextLines } from "./text-lines.ts";

/** Longest record with its continuations. */
const RECORD_MAX_LENGTH = 64 * 1024;
const CONTINUATION = /^88(?:[,/]|$)/;
const OPENING_LEDGER = "010";
const CLOSING_LEDGER = "015";
/** What the standard says where a group names none. */
const DEFAULT_CURRENCY = "USD";

/**
 * BAI2 balance reporting, "Cash Management Balance Reporting Specifications", version 2. Detail records (16) become lines, credits for
 * type codes 100 to 399 and 920 to 959, debits for 400 to 699 and 960 to 999; non-monetary ones (890) are skipped. The value date is
 * that of funds type V, else the group's as-of date. An amount has no point: its decimals are the currency's. Trailers (49, 98, 99) are
 * checked: sums, records, accounts and groups.
 * @throws FileRefused where a header or a trailer is missing, the file is cut, or a group is no update
 */
export function readBai2({ out, currency: sourceCurrency }: Reading): Reader {
  const file = new Bai2Totals();
  let group: { totals: Bai2Totals; day: string; currency: string } | undefined;
  let account: { totals: Bai2Totals; statement: Statement; currency: string } | undefined;
  let state: "start" | "file" | "end" = "start";
  /** The record that is open until the next one that is no continuation. */
  let record = "";
  let recordLine = 0;
  let terminated = false;
  let physical = 0;

  const lines = new TextLines(LINE_MAX_LENGTH, onLine, () => {
    throw fault("The line is too long.", "", `at most ${LINE_MAX_LENGTH} characters`, lines.number);
  });

  function fault(problem: string, found: string, wanted: string, line = recordLine): Error {
    return refuseFile({ line }, record.slice(0, 2) || null, problem, found, wanted);
  }

  function onLine(line: string) {
    const text = line.trimEnd();
    if (text === "" || text === "\u001a") return;
    const isTerminated = text.endsWith("/");
    const body = isTerminated ? text.slice(0, -1) : text;
    if (!CONTINUATION.test(text)) {
      finish();
      record = body;
      recordLine = lines.number;
      physical = 1;
    } else {
      if (record === "")
        throw fault(
          "A continuation has nothing to continue.",
          text,
          "a record before 88",
          lines.number,
        );
      // A record that was not closed by a slash goes on within its text.
      record += `${terminated ? "," : " "}${body.slice(3)}`;
      physical++;
      if (record.length > RECORD_MAX_LENGTH)
        throw fault("The record is too long.", "", `at most ${RECORD_MAX_LENGTH} characters`);
    }
    terminated = isTerminated;
  }

  function finish() {
    if (record === "") return;
    const fields = record.split(",");
    if (state === "end")
      throw fault("Something follows the file's trailer.", record, "nothing after 99");
    if (state === "start" && fields[0] !== "01")
      throw fault("The file does not begin with its header.", record, "a record 01");
    for (const totals of [file, group?.totals, account?.totals])
      if (totals) totals.records += physical;
    onRecord(fields);
    record = "";
  }

  function onRecord(fields: string[]) {
    switch (fields[0]) {
      case "01":
        if (state !== "start") throw fault("The file has two headers.", record, "one record 01");
        state = "file";
        file.records = physical;
        return;
      case "02":
        return beginGroup(fields);
      case "03":
        return beginAccount(fields);
      case "16":
        return detail(fields);
      case "49":
        return endAccount(fields);
      case "98":
        return endGroup(fields);
      case "99":
        if (group) throw fault("A group has no trailer.", record, "a record 98");
        out.control(file.agrees(fields[1], fields[2], fields[3]));
        state = "end";
        return;
      default:
        throw fault("This is not a record.", record, "one of 01, 02, 03, 16, 49, 88, 98, 99");
    }
  }

  function beginGroup([, , , status = "", date = "", , currency = ""]: string[]) {
    if (group) throw fault("A group has no trailer.", record, "a record 98");
    if (status !== "1")
      throw fault(
        "The group is no update.",
        status,
        "group status 1; deletions, corrections and tests are not read",
      );
    const day = sixDigitDay(date);
    if (day === null)
      throw fault("The group's date is not a date.", date, "an as-of date as YYMMDD");
    group = {
      totals: new Bai2Totals(),
      day,
      currency: knownCurrency(currency.trim() || sourceCurrency || DEFAULT_CURRENCY),
    };
    group.totals.records = physical;
  }

  function beginAccount(fields: string[]) {
    if (!group) throw fault("An account is outside of any group.", record, "a record 02 before it");
    if (account) throw fault("An account has no trailer.", record, "a record 49");
    const [, number = "", ownCurrency = ""] = fields;
    const currency = knownCurrency(ownCurrency.trim() || group.currency);
    const statement = new Statement();
    statement.account = number.trim() || null;
    statement.id = statement.account && `${statement.account} ${group.day}`;
    statement.currency = currency;
    statement.periodStart = group.day;
    statement.periodEnd = group.day;
    account = { totals: new Bai2Totals(), statement, currency };
    account.totals.records = physical;
    const summary = summaryOf(fields.slice(3));
    if (typeof summary === "string")
      throw fault(
        "A summary cannot be read.",
        summary,
        "type code, amount, item count and funds type",
      );
    for (const { type, amount } of summary) {
      if (amount === "") continue;
      const minor = minorAmount(amount.replace(/^\+/, ""));
      if (typeof minor !== "number") throw fault(minor.problem, amount, minor.wanted);
      account.totals.sum += BigInt(minor);
      if (type === OPENING_LEDGER) statement.opening = minor;
      if (type === CLOSING_LEDGER) statement.closing = minor;
    }
  }

  function detail(fields: string[]) {
    if (!account || !group)
      throw fault("A detail is outside of any account.", record, "a record 03 before it");
    const position = { line: recordLine };
    const read = detailOf(fields);
    const minor = read.amount === "" ? undefined : minorAmount(read.amount.replace(/^\+/, ""));
    if (typeof minor === "number") account.totals.sum += BigInt(minor);
    if (read.direction === 0) return out.skip(position, "non_monetary", record);
    if (read.direction === undefined) {
      return out.refuse(
        position,
        "16",
        "This type code says neither credit nor debit.",
        read.type,
        "100 to 699 or 920 to 999",
      );
    }
    if (typeof minor !== "number" || minor < 0) {
      const wanted = "an amount in minor units without point or sign";
      return out.refuse(position, "16", "This is not an amount.", read.amount, wanted);
    }
    const funds = fundsOf(read.funds);
    if (typeof funds === "string")
      return out.refuse(
        position,
        "16",
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
    out.add(line, account.statement);
  }

  function endAccount([, total, records]: string[]): void {
    if (!account || !group)
      throw fault("A trailer has no account.", record, "a record 03 before it");
    account.statement.control(account.totals.agrees(total, undefined, records));
    group.totals.add(account.totals);
    out.close(account.statement);
    account = undefined;
  }

  function endGroup([, total, accounts, records]: string[]): void {
    if (account) throw fault("An account has no trailer.", record, "a record 49");
    if (!group) throw fault("A trailer has no group.", record, "a record 02 before it");
    out.control(group.totals.agrees(total, accounts, records));
    file.add(group.totals);
    group = undefined;
  }

  function knownCurrency(currency: string): string {
    if (decimalsOf(currency) === undefined)
      throw fault("This is not a currency.", currency, "an ISO 4217 code such as USD");
    return currency;
  }

  return {
    read: (text) => lines.read(text),
    end() {
      lines.end();
      finish();
      if (state !== "end")
        throw fault(
          "The file ends in the middle.",
          "",
          "the rest of it, up to the trailer 99",
          lines.number,
        );
    },
  };
}
