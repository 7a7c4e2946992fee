import { decimalsOf } from "../../../wire/currencies.ts";
import { standardAmount } from "../../../wire/money.ts";
import { calendarDay, fullYear } from "../dates.ts";
import type { ImportLine } from "../line.ts";
import { DetailsBuilder, type LineCollector } from "../line-collector.ts";
import type { Statement } from "../statement.ts";
import { accountOwnerInfo } from "./mt940-info.ts";

/**
 * Value date, entry date, mark, funds code, amount, type, references.
 * 6!n[4!n]2a[1!a]15d1!a3!c16x[//16x]; only MT942 has the marks EC and ED. Many banks write
 * references longer than 16 characters; some pad with blanks, and some omit the comma of whole
 * amounts.
 */
const LINE =
  /^(\d{6})(\d{4}|\s{4})?\s*(RC|RD|EC|ED|C|D)([A-Z])?\s*(\d{1,24},\d{0,10}|,\d{1,10}|\d{1,24}(?![A-Z0-9. ]{0,8}[,.]\d))\s*(?:([SNF][A-Z0-9 ]{0,3}|[A-Z]{3}[A-Z0-9])(.*)|(?=\/\/)(.*)|)$/s;
const WANTED =
  "value date, C or D, amount with a comma, type and reference, such as " +
  "2601020102D12,50NTRFREF//BANKREF";
const NO_REFERENCE = /^(?:NON ?REF|NOT ?PROVIDED|NOREF|0+|-)?$/i;

/** A :61: that waits for its :86:. */
export type StatementLine = { describe: (parts: string[]) => void; finish: () => void };

type Target = { out: LineCollector; statement: Statement; currency: string | undefined };

/**
 * Reads a :61:, whose second line is its supplementary details. The reversal of a credit (RC) is
 * money out, that of a debit (RD) is money in. Expected entries (EC, ED) are counted as skipped.
 * Undefined if the line was refused or skipped.
 */
export function statementLine(
  { out, statement, currency }: Target,
  parts: string[],
  line: number,
  tally: (minor: number) => void,
): StatementLine | undefined {
  const [main = "", ...supplement] = withAmount(parts);
  const refuse = (problem: string, found: string, wanted: string) =>
    out.refuse({ line }, ":61:", problem, found, wanted, statement);
  const [, date = "", entry = "", mark = "", , amount = "", type = "", refs = "", untyped = ""] =
    LINE.exec(main.trimEnd()) ?? [];
  if (date === "") return void refuse("This is not a statement line.", main, WANTED);
  if (currency === undefined || decimalsOf(currency) === undefined) {
    return void refuse(
      "The line's currency is not known.",
      currency ?? "",
      "a balance before it with a currency of ISO 4217",
    );
  }
  const minor = standardAmount(amount, currency, ",");
  if (typeof minor !== "number") return void refuse(minor.problem, amount, minor.wanted);
  const value_date = swiftDay(date);
  if (value_date === null)
    return void refuse("The value date is not a date.", date, "a day of the calendar as YYMMDD");
  const booked_date = entry.trim() === "" ? undefined : entryDate(entry, value_date);
  if (booked_date === null)
    return void refuse("The entry date is not a date.", entry, "a day of the calendar as MMDD");
  if (mark.startsWith("E")) return void out.skip({ line }, "expected", main);
  const amount_minor = mark === "D" || mark === "RC" ? -minor || 0 : minor;
  tally(amount_minor);

  const [, customer = "", bank = ""] = /^(.*?)(?:\/\/(.*))?$/s.exec(refs || untyped) ?? [];
  const provided = (text: string) => (NO_REFERENCE.test(text.trim()) ? undefined : text.trim());
  let info: ReturnType<typeof accountOwnerInfo> | undefined;
  return {
    describe(lines) {
      // A second :86: continues the first.
      info = accountOwnerInfo(info ? [...info.lines, ...lines] : lines);
    },
    finish() {
      const details = new DetailsBuilder()
        .add("transaction_code", type.trim())
        .add("reversal", mark.startsWith("R") || undefined)
        .add("customer_reference", provided(customer))
        .add("bank_reference", provided(bank))
        .add(
          "supplementary",
          supplement
            .map((text) => text.trim())
            .join(" ")
            .trim(),
        );
      for (const [name, text] of info?.more ?? []) details.add(name, text);
      const read: ImportLine = {
        amount_minor,
        currency,
        value_date,
        details: details.details,
        position: { line },
      };
      if (booked_date !== undefined) read.booked_date = booked_date;
      const reference = info?.reference ?? provided(customer) ?? provided(bank);
      if (reference !== undefined) read.reference = reference;
      if (info?.counterparty !== undefined) read.counterparty = info.counterparty;
      if (info?.description !== undefined) read.description = info.description;
      out.add(read, statement);
    },
  };
}

/** Joins a line that a bank broke before its amount. */
function withAmount(parts: string[]): string[] {
  const [main = "", next = "", ...more] = parts;
  const isBroken = /^\d{6}(?:\d{4}|\s{4})?\s*R?[CD][A-Z]?\s*$/.test(main) && /^\d/.test(next);
  return isBroken ? [`${main.trimEnd()}${next}`, ...more] : parts;
}

/**
 * The entry date, which has no year: the year is the one that puts it closest to the value date.
 */
function entryDate(monthDay: string, valueDate: string): string | null {
  const month = Number(monthDay.slice(0, 2));
  const day = Number(monthDay.slice(2));
  const year = Number(valueDate.slice(0, 4));
  const ahead = month - Number(valueDate.slice(5, 7));
  return bankDay(ahead > 6 ? year - 1 : ahead < -6 ? year + 1 : year, month, day);
}

/** `YYMMDD` of SWIFT's messages, including 30 February. */
export function swiftDay(text: string): string | null {
  if (!/^\d{6}$/.test(text)) return null;
  const [year = 0, month = 0, day = 0] = (text.match(/../g) ?? []).map(Number);
  return bankDay(fullYear(year), month, day);
}

/**
 * A calendar day, or the last day of February for 29 and 30 February, which interest by 30/360 has
 * in any year.
 */
function bankDay(year: number, month: number, day: number): string | null {
  const found = calendarDay(year, month, day);
  if (found !== null || month !== 2 || (day !== 29 && day !== 30)) return found;
  return calendarDay(year, 2, 29) ?? calendarDay(year, 2, 28);
}
