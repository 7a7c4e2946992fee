import { decimalsOf } from "../../../wire/currencies.ts";
import { standardAmount } from "../../../wire/money.ts";
import { type DateReader, isoDate, isoDay } from "../dates.ts";
import type { Details, ImportLine } from "../line.ts";
import { DetailsBuilder } from "../line-collector.ts";
import type { Format } from "../mapping.ts";
import type { Reading } from "../reader.ts";
import { type Place, refuseFile } from "../refusal.ts";
import type { SkipReason } from "../skip-reasons.ts";
import { Statement } from "../statement.ts";
import { bookingStateOf } from "../words/booking-states.ts";
import { accountAmount, inAccountCurrency } from "./camt-currency.ts";
import {
  bankTransactionCode,
  camtTransaction,
  chargesOf,
  moneyOf,
  type Party,
  type Transaction,
  withoutPlaceholder,
} from "./camt-transaction.ts";
import type { XmlNode } from "./xml-events.ts";

/** ISO's codes, and English words that some banks write as proprietary text. */
const STATUSES: [RegExp, "booked" | SkipReason][] = [
  [/^(?:BOOK|BOOKED)$/i, "booked"],
  [/^(?:PDNG|PENDING)$/i, "pending"],
  [/^(?:FUTR|FUTURE)$/i, "expected"],
  [/^(?:INFO|INFORMATION)$/i, "information"],
];
/** How many transactions are stored in the details of an entry that stays one line. */
const MAX_STORED_TRANSACTIONS = 50;

/** Banks state only a few balances per statement. */
const MAX_BALANCES = 10_000;

type Totals = { count: number; credits: number; creditSum: bigint; debitSum: bigint };
type Balance = { code: string; minor: number; day: string };
type Money = { minor: number; currency: string };
type Entry = {
  amount_minor: number;
  currency: string;
  value_date: string;
  booked_date: string | undefined;
  reversal: boolean;
  node: XmlNode;
};

/** One Stmt, Rpt or Ntfctn while it is read. */
export class CamtStatement {
  readonly #reading: Reading;
  readonly #place: Place;
  readonly #format: Format;
  readonly #readDay: DateReader;
  /** When the message was created: the day of entries without a date. */
  #createdAt: string | undefined;
  readonly #statement = new Statement();
  readonly #balances: Balance[] = [];
  #summary: XmlNode | undefined;
  /** The totals of all entries and of booked entries, because banks state either. */
  readonly #all: Totals = { count: 0, credits: 0, creditSum: 0n, debitSum: 0n };
  readonly #booked: Totals = { count: 0, credits: 0, creditSum: 0n, debitSum: 0n };

  /** The sum of the entries with a reversal indicator. */
  #reversals = 0n;

  constructor(reading: Reading, format: Format, place: Place, createdAt?: string) {
    this.#createdAt = createdAt;
    this.#reading = reading;
    this.#format = format;
    this.#place = place;
    this.#readDay = isoDay(reading.timeZone);
  }

  describe(part: XmlNode) {
    if (part.name === "Id") this.#statement.id = part.text.trim() || null;
    else if (part.name === "CreDtTm") this.#createdAt = part.text.trim() || this.#createdAt;
    else if (part.name === "Acct") {
      this.#statement.account =
        part.get("Id", "IBAN") ??
        part.get("Id", "Othr", "Id") ??
        part.get("Id", "PrtryAcct", "Id") ??
        null;
      const currency = part.get("Ccy");
      if (currency) this.#statement.agreeOn(currency);
    } else if (part.name === "FrToDt") {
      this.#statement.periodStart = this.#readDay(part.get("FrDtTm") ?? "");
      this.#statement.periodEnd = this.#readDay(part.get("ToDtTm") ?? "");
    } else this.#summary = part;
  }

  balance(part: XmlNode) {
    const code = part.get("Tp", "CdOrPrtry", "Cd") ?? part.get("Tp", "Cd") ?? "";
    if (!["OPBD", "PRCD", "CLBD", "ITBD"].includes(code)) return;
    const money = this.#signed(part, "Bal", this.#place);
    if (!money) {
      this.#statement.contradictory = true;
      return;
    }
    this.#statement.agreeOn(money.currency);
    if (this.#balances.length >= MAX_BALANCES)
      throw refuseFile(
        this.#place,
        "Bal",
        "A statement has too many balances.",
        "",
        `at most ${MAX_BALANCES}`,
      );
    this.#balances.push({ code, minor: money.minor, day: this.#dayOf(part.child("Dt")) ?? "" });
  }

  /**
   * @param count How many transactions the entry has; `transactions` is empty if there are too
   *   many.
   */
  entry(node: XmlNode, transactions: Transaction[], count: number, place: Place) {
    const { out } = this.#reading;
    const status = node.get("Sts", "Cd") ?? node.get("Sts", "Prtry") ?? node.get("Sts") ?? "";
    const state = STATUSES.find(([words]) => words.test(status))?.[1] ?? bookingStateOf(status);
    const skipped = state === "booked" ? undefined : state;
    const written = skipped ? this.#pendingMoney(node) : this.#signed(node, "Amt", place);
    const money = written && this.#inAccountCurrency(written, node, transactions, count);
    if (money) this.#tally(this.#all, money.minor);
    if (skipped) {
      const text = `${status} ${node.get("CdtDbtInd")} ${node.child("Amt")?.ccy} ${node.get("Amt")}`;
      return out.skip(place, skipped, text);
    }
    if (!written || !money) return;
    // A statement has only booked entries, so the status may be missing.
    if (state !== "booked" && (status !== "" || this.#format === "camt.052"))
      return out.refuse(
        place,
        "Sts",
        "This is not a status of entries.",
        status,
        "BOOK, PDNG, INFO or FUTR",
        this.#statement,
      );
    this.#tally(this.#booked, money.minor);
    const reversal = /^(?:true|1)$/.test(node.get("RvslInd") ?? "");
    if (reversal) this.#reversals += BigInt(money.minor);
    const booked = this.#dayOf(node.child("BookgDt"));
    const value = this.#dayOf(node.child("ValDt"));
    for (const [field, day] of [
      ["ValDt", value],
      ["BookgDt", booked],
    ] as const) {
      if (day === null)
        return out.refuse(
          place,
          field,
          "This is not a date.",
          textOf(node.child(field)),
          "a day of the calendar as YYYY-MM-DD",
          this.#statement,
        );
    }
    // A report or a notification is about the day it was created; a statement may cover many days.
    const created = this.#format === "camt.053" ? null : this.#readDay(this.#createdAt ?? "");
    const value_date = value ?? booked ?? created;
    if (!value_date)
      return out.refuse(
        place,
        "ValDt",
        "The entry has no date.",
        "",
        "ValDt or BookgDt",
        this.#statement,
      );
    const entry: Entry = {
      amount_minor: money.minor,
      currency: money.currency,
      value_date,
      booked_date: booked ?? undefined,
      reversal,
      node,
    };
    const isConverted = written.currency !== money.currency;
    const converted = isConverted ? inAccountCurrency(transactions, money.currency) : transactions;
    const parts = converted.length > 1 ? this.#parts(entry, converted) : undefined;
    if (parts)
      for (const [at, minor] of parts.entries())
        this.#add(entry, minor, transactions[at] as Transaction, place);
    else
      this.#add(
        entry,
        money.minor,
        count === 1 ? (transactions[0] as Transaction) : camtTransaction(),
        place,
        transactionDetails(transactions, count),
      );
  }

  close(): void {
    const statement = this.#statement;
    const opening = this.#pickBalance(["OPBD", "PRCD"], "first");
    const closing = this.#pickBalance(["CLBD"], "last");
    const interim =
      this.#format === "camt.053" ? this.#balances.filter(({ code }) => code === "ITBD") : [];
    // The pages of one statement are connected by interim balances.
    statement.opening =
      opening ??
      (interim.length === (closing === null ? 2 : 1) ? (interim[0]?.minor ?? null) : null);
    statement.closing =
      closing ??
      (interim.length === (opening === null ? 2 : 1) ? (interim.at(-1)?.minor ?? null) : null);
    this.#requireEntryDirections(statement);
    if (this.#summary) this.#checkSummary(this.#summary);
    this.#reading.out.close(statement);
  }

  /**
   * Some banks write the direction of the payment that an entry reverses, instead of the entry's
   * direction.
   * @throws FileRefused if the balances hold only with the signs of the reversals inverted
   */
  #requireEntryDirections({ opening, closing, sum }: Statement): void {
    if (opening === null || closing === null || this.#reversals === 0n) return;
    const moved = BigInt(closing) - BigInt(opening);
    if (moved === sum || moved !== sum - 2n * this.#reversals) return;
    throw refuseFile(
      this.#place,
      "RvslInd",
      "The directions of reversed entries contradict the balances.",
      "CdtDbtInd of the payment",
      "CdtDbtInd of the entry itself",
    );
  }

  /**
   * The balance of the first or last day, with the first of these codes that the statement has. Two
   * balances of one day must be equal.
   */
  #pickBalance(codes: string[], which: "first" | "last"): number | null {
    for (const wantedCode of codes) {
      const days = this.#balances
        .filter(({ code }) => code === wantedCode)
        .sort((left, right) => (left.day < right.day ? -1 : left.day > right.day ? 1 : 0));
      const picked = which === "first" ? days[0] : days.at(-1);
      if (!picked) continue;
      if (days.some(({ day, minor }) => day === picked.day && minor !== picked.minor))
        this.#statement.contradictory = true;
      return picked.minor;
    }
    return null;
  }

  /** The signed amounts of the transactions, if they add up to the entry. */
  #parts(entry: Entry, transactions: Transaction[]): number[] | undefined {
    const parts: number[] = [];
    let sum = 0n;
    for (const { amount, direction } of transactions) {
      if (amount?.ccy !== entry.currency) return undefined;
      const minor = standardAmount(amount.text, entry.currency, ".");
      if (typeof minor !== "number" || minor < 0) return undefined;
      const sign =
        direction === undefined
          ? Math.sign(entry.amount_minor)
          : direction === "CRDT"
            ? 1
            : direction === "DBIT"
              ? -1
              : 0;
      if (sign === 0) return undefined;
      parts.push(sign * minor || 0);
      sum += BigInt(sign * minor);
    }
    return sum === BigInt(entry.amount_minor) ? parts : undefined;
  }

  #add(
    entry: Entry,
    amount_minor: number,
    transaction: Transaction,
    place: Place,
    transactions?: unknown,
  ): void {
    const { node, reversal } = entry;
    // A reversal has the same debtor and creditor as the payment that it reverses.
    const party = amount_minor >= 0 !== reversal ? transaction.debtor : transaction.creditor;
    const entryReference = withoutPlaceholder(node.get("AcctSvcrRef"));
    const line: ImportLine = {
      amount_minor,
      currency: entry.currency,
      value_date: entry.value_date,
      details: detailsOf(entry, transaction, party, transactions),
      position: place,
    };
    if (entry.booked_date !== undefined) line.booked_date = entry.booked_date;
    const reference =
      transaction.reference ?? withoutPlaceholder(node.get("NtryRef")) ?? entryReference;
    if (reference !== undefined) line.reference = reference;
    const counterparty = party.name ?? party.ultimate;
    if (counterparty !== undefined) line.counterparty = counterparty;
    const description = transaction.description ?? node.get("AddtlNtryInf");
    if (description !== undefined) line.description = description;
    const batch = node.at("NtryDtls", "Btch");
    const group =
      withoutPlaceholder(batch?.get("PmtInfId")) ??
      transaction.paymentId ??
      withoutPlaceholder(batch?.get("MsgId"));
    if (group !== undefined) line.group_key = group;
    this.#reading.out.add(line, this.#statement);
  }

  #signed(node: XmlNode, field: string, place: Place): Money | undefined {
    const { out } = this.#reading;
    const money = moneyOf(node.child("Amt"));
    if (!money || decimalsOf(money.ccy) === undefined) {
      out.refuse(
        place,
        "Ccy",
        "This is not a currency.",
        node.child("Amt")?.ccy ?? "",
        "an ISO 4217 code such as EUR",
        this.#statement,
      );
      return undefined;
    }
    const minor = standardAmount(money.text, money.ccy, ".");
    if (typeof minor !== "number" || minor < 0) {
      const fault =
        typeof minor === "number"
          ? {
              problem: "The amount is negative.",
              wanted: "an amount without a sign, and CdtDbtInd",
            }
          : minor;
      out.refuse(place, field, fault.problem, money.text, fault.wanted, this.#statement);
      return undefined;
    }
    const direction = node.get("CdtDbtInd") ?? "";
    if (direction !== "CRDT" && direction !== "DBIT") {
      out.refuse(
        place,
        "CdtDbtInd",
        "This says neither credit nor debit.",
        direction,
        "CRDT or DBIT",
        this.#statement,
      );
      return undefined;
    }
    return { minor: direction === "CRDT" || minor === 0 ? minor : -minor, currency: money.ccy };
  }

  /**
   * The amount of an entry that isn't imported, for the statement's totals; undefined if it can't
   * be read.
   */
  #pendingMoney(node: XmlNode): Money | undefined {
    const money = moneyOf(node.child("Amt"));
    const minor = money && standardAmount(money.text, money.ccy, ".");
    if (!money || typeof minor !== "number") return undefined;
    return { minor: node.get("CdtDbtInd") === "DBIT" ? -minor || 0 : minor, currency: money.ccy };
  }

  /**
   * The amount of an entry in another currency, converted to the account's currency if the file
   * states that amount.
   */
  #inAccountCurrency(
    written: Money,
    node: XmlNode,
    transactions: Transaction[],
    count: number,
  ): Money {
    const currency = this.#statement.currency;
    if (currency === null || currency === written.currency) return written;
    const minor = accountAmount(node, transactions, count, currency);
    if (minor === undefined) return written;
    return { minor: written.minor < 0 ? -minor || 0 : minor, currency };
  }

  /** The day; undefined without a date, null for a text that is not a date. */
  #dayOf(node: XmlNode | undefined): string | null | undefined {
    if (!node) return undefined;
    const date = node.get("Dt");
    return date === undefined ? this.#readDay(textOf(node)) : isoDate(date);
  }

  #tally(totals: Totals, minor: number): void {
    totals.count++;
    if (minor >= 0) {
      totals.credits++;
      totals.creditSum += BigInt(minor);
    } else totals.debitSum -= BigInt(minor);
  }

  /**
   * Compares the entries with the stated counts and sums. Totals of credits alone, or of debits
   * alone, are only enough if the other side has no entries.
   */
  #checkSummary(summary: XmlNode): void {
    const all = this.#matchesTotals(
      summary.child("TtlNtries"),
      ({ count, creditSum, debitSum }) => [count, creditSum + debitSum],
    );
    const credits = this.#matchesTotals(summary.child("TtlCdtNtries"), (totals) => [
      totals.credits,
      totals.creditSum,
    ]);
    const debits = this.#matchesTotals(summary.child("TtlDbtNtries"), (totals) => [
      totals.count - totals.credits,
      totals.debitSum,
    ]);
    const matches = [all, credits, debits].filter((match) => match !== undefined);
    const { count, credits: creditCount } = this.#all;
    const isWhole =
      all !== undefined ||
      ((credits !== undefined || creditCount === 0) &&
        (debits !== undefined || creditCount === count));
    if (matches.includes(false)) this.#statement.control(false);
    else if (matches.length > 0 && isWhole) this.#statement.control(true);
  }

  /**
   * Whether the stated count and sum match all entries, or the booked ones; undefined if neither is
   * stated.
   */
  #matchesTotals(
    given: XmlNode | undefined,
    totalsOf: (totals: Totals) => [number, bigint],
  ): boolean | undefined {
    const sum = given?.get("Sum");
    const number = given?.get("NbOfNtries");
    if (sum === undefined && number === undefined) return undefined;
    const minor =
      sum === undefined ? undefined : standardAmount(sum, this.#statement.currency ?? "EUR", ".");
    return [this.#all, this.#booked].some((totals) => {
      const [count, total] = totalsOf(totals);
      const isCountEqual =
        number === undefined || (/^\d{1,15}$/.test(number) && Number(number) === count);
      return (
        isCountEqual &&
        (minor === undefined || (typeof minor === "number" && BigInt(minor) === total))
      );
    });
  }
}

function detailsOf(
  { node, reversal }: Entry,
  transaction: Transaction,
  party: Party,
  transactions: unknown,
): Details {
  const info = node.get("AddtlNtryInf");
  const details = new DetailsBuilder()
    .add("bank_reference", transaction.bankReference ?? withoutPlaceholder(node.get("AcctSvcrRef")))
    .add("entry_reference", withoutPlaceholder(node.get("NtryRef")))
    .add("transaction_code", bankTransactionCode(node))
    .add("reversal", reversal || undefined)
    .add("counterparty_account", party.account)
    .add("counterparty_bank", party.bank)
    .add("ultimate_counterparty", party.ultimate);
  for (const [name, text] of transaction.more) details.add(name, text);
  return details
    .add("entry_info", transaction.description === undefined ? undefined : info)
    .add("entry_charges", chargesOf(node))
    .add("batch_count", node.get("NtryDtls", "Btch", "NbOfTxs"))
    .add("transactions", transactions).details;
}

function textOf(node: XmlNode | undefined): string {
  return node?.get("Dt") ?? node?.get("DtTm") ?? node?.text.trim() ?? "";
}

/** What is stored about the transactions of an entry that stays one line. */
function transactionDetails(transactions: Transaction[], count: number): unknown {
  if (count < 2) return undefined;
  if (transactions.length === 0) return [{ count }];
  return transactions
    .slice(0, MAX_STORED_TRANSACTIONS)
    .map(({ amount, direction, reference, debtor, creditor }) => ({
      amount: amount && `${amount.ccy} ${amount.text}`,
      direction,
      reference,
      debtor: debtor.name,
      creditor: creditor.name,
    }));
}
