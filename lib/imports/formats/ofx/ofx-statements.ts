import { decimalsOf } from "../../../wire/currencies.ts";
import { type Fault, standardAmount } from "../../../wire/money.ts";
import { eightDigitDay } from "../dates.ts";
import type { ImportLine } from "../line.ts";
import { DetailsBuilder } from "../line-collector.ts";
import type { Reading } from "../reader.ts";
import { type Place, refuseFile } from "../refusal.ts";
import { Statement } from "../statement.ts";
import { balanceLabel } from "../words/balance-labels.ts";
import { beginningOf, wholeStateOf } from "../words/booking-states.ts";
import { AmountSeparators } from "./amount-separators.ts";
import { TransactionSigns } from "./transaction-signs.ts";

const STATEMENTS = new Set(["STMTRS", "CCSTMTRS", "INVSTMTRS"]);
const ACCOUNTS = new Set(["BANKACCTFROM", "CCACCTFROM", "INVACCTFROM"]);
/** Aggregates that are read or must be skipped. Others are ignored, but their leaves are read. */
const AGGREGATES = new Set([
  "OFX",
  ...STATEMENTS,
  ...ACCOUNTS,
  "STMTTRN",
  "STMTTRNP",
  "INVTRAN",
  "LEDGERBAL",
  "AVAILBAL",
  "BAL",
  "PAYEE",
  "EXTDPAYEE",
  "CURRENCY",
  "ORIGCURRENCY",
  "BANKACCTTO",
  "CCACCTTO",
]);

const MAX_DEPTH = 64;
const MAX_LEAVES = 1_000;
const MAX_ACCOUNTS = 1_000;

type Leaves = Map<string, string>;

/**
 * Builds lines and statements from OFX's aggregates and leaves, whether they were written as SGML
 * or as XML.
 */
export class OfxStatements {
  readonly #reading: Reading;
  readonly #open: { name: string; leaves: Leaves; place: Place }[] = [];
  readonly #signs = new TransactionSigns();
  readonly #separators = new AmountSeparators();
  #statement: Statement | undefined;
  #currency: string | undefined;
  #count = 0;
  #isClosed = false;
  /**
   * The suffix that distinguishes accounts with the same number, by that number: the first in a
   * file needs none.
   */
  readonly #accounts = new Map<string, string>();
  #idPrefix = "";
  /** The first message set of another kind that was found in place of statements. */
  #otherMessages = "";

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Whether the tag is an aggregate. */
  open(name: string, place: Place): boolean {
    if (!AGGREGATES.has(name)) {
      if (/MSGSRSV\d$/.test(name) && !name.startsWith("SIGNON")) this.#otherMessages ||= name;
      return false;
    }
    if (name.startsWith("STMTTRN") && this.#open.some((outer) => outer.name === name))
      throw this.#mismatch(place, `<${name}>`, `</${name}>`);
    if (this.#open.length >= MAX_DEPTH)
      throw refuseFile(
        place,
        null,
        "The tags are nested too deep.",
        `<${name}>`,
        `at most ${MAX_DEPTH} within each other`,
      );
    this.#open.push({ name, leaves: new Map(), place });
    if (STATEMENTS.has(name)) {
      if (this.#statement)
        throw this.#mismatch(place, `<${name}>`, "the end of the statement before it");
      this.#statement = new Statement();
      this.#currency = this.#reading.currency;
      this.#idPrefix = "";
      this.#count++;
    }
    return true;
  }

  /** Adds a leaf to the open aggregate. If a name repeats, the first leaf counts. */
  leaf(name: string, text: string) {
    const aggregate = this.#open.at(-1);
    if (!aggregate || text === "") return;
    if (name === "DTSTART" && this.#statement) this.#statement.periodStart = dayOf(text);
    else if (name === "DTEND" && this.#statement) this.#statement.periodEnd = dayOf(text);
    else if (name === "CURDEF") {
      this.#currency = text;
      this.#statement?.agreeOn(text);
    } else if (!aggregate.leaves.has(name)) {
      if (aggregate.leaves.size >= MAX_LEAVES)
        throw refuseFile(
          aggregate.place,
          aggregate.name,
          "The aggregate has too many tags.",
          `<${name}>`,
          `at most ${MAX_LEAVES}`,
        );
      aggregate.leaves.set(name, text);
    }
  }

  close(name: string, place: Place) {
    if (!AGGREGATES.has(name)) return;
    const aggregate = this.#open.pop();
    if (aggregate?.name !== name)
      throw this.#mismatch(
        place,
        `</${name}>`,
        aggregate ? `</${aggregate.name}>` : "no closing tag",
      );
    const { leaves } = aggregate;
    if (name === "OFX") this.#isClosed = true;
    else if (name === "STMTTRNP") {
      const text = [leaves.get("TRNAMT"), leaves.get("NAME")].filter(Boolean).join(" ");
      this.#reading.out.skip(aggregate.place, "pending", text);
    } else if (name === "INVTRAN") {
      const text = ["DTTRADE", "MEMO", "FITID"].map((leaf) => leaves.get(leaf)).filter(Boolean);
      this.#reading.out.skip(aggregate.place, "unsupported", text.join(" "));
    } else if (name === "STMTTRN") this.#transaction(leaves, aggregate.place);
    else if (name === "LEDGERBAL") this.#balance(leaves, aggregate.place);
    else if (STATEMENTS.has(name)) this.#finish();
    else if (ACCOUNTS.has(name) && this.#statement) this.#account(name, leaves, this.#statement);
    // The leaves of a transaction's aggregates are added to it, as AGGREGATE.LEAF.
    else for (const [leaf, text] of leaves) this.#open.at(-1)?.leaves.set(`${name}.${leaf}`, text);
  }

  end() {
    if (!this.#isClosed) throw this.#mismatch({ line: 1 }, "the end of the file", "</OFX>");
    if (this.#count === 0)
      throw refuseFile(
        { line: 1 },
        null,
        "The file has no statement.",
        this.#otherMessages,
        "STMTRS, CCSTMTRS or INVSTMTRS",
      );
    this.#signs.check();
    this.#separators.check();
  }

  #finish() {
    const statement = this.#statement;
    this.#statement = undefined;
    if (!statement) return;
    statement.id = statement.account;
    this.#reading.out.close(statement);
  }

  /**
   * Sets the statement's account and the prefix of its transaction IDs: banks repeat transaction
   * IDs across accounts, and give a savings account the number of its checking account.
   */
  #account(name: string, leaves: Leaves, statement: Statement) {
    const account = leaves.get("ACCTID") ?? "";
    statement.account ??= account || null;
    const traits = ["BANKID", "BRANCHID", "BROKERID", "ACCTTYPE", "ACCTKEY"].map((leaf) =>
      leaves.get(leaf),
    );
    const key = [name, ...traits, this.#currency].filter(Boolean).join("/");
    const first = this.#accounts.get(account) ?? key;
    if (this.#accounts.size < MAX_ACCOUNTS) this.#accounts.set(account, first);
    this.#idPrefix = first === key ? account && `${account}:` : `${account}/${key}:`;
  }

  #balance(leaves: Leaves, place: Place) {
    const text = leaves.get("BALAMT");
    if (text === undefined || !this.#statement) return;
    const amount = this.#amount(text, this.#currency);
    if (typeof amount !== "number") {
      this.#statement.contradictory = true;
      return this.#reading.out.refuse(
        place,
        "BALAMT",
        amount.problem,
        text,
        amount.wanted,
        this.#statement,
      );
    }
    this.#statement.closing = amount;
    this.#statement.periodEnd ??= dayOf(leaves.get("DTASOF") ?? "");
  }

  #transaction(leaves: Leaves, position: Place) {
    const { out } = this.#reading;
    if (!this.#statement)
      return out.refuse(
        position,
        "STMTTRN",
        "A transaction is outside of any statement.",
        "",
        "STMTRS around it",
      );
    const get = (name: string) => leaves.get(name);
    if (get("CORRECTFITID") !== undefined) {
      return out.refuse(
        position,
        "CORRECTFITID",
        "This corrects an earlier transaction.",
        get("CORRECTFITID") ?? "",
        "a separate transaction",
        this.#statement,
      );
    }
    if (!this.#isLine(leaves, position)) return;
    // With ORIGCURRENCY, the amount is already converted.
    const currency = get("CURRENCY.CURSYM") ?? this.#currency;
    const text = get("TRNAMT") ?? "";
    const amount = this.#amount(text, currency);
    if (typeof amount !== "number")
      return out.refuse(
        position,
        amount.field,
        amount.problem,
        amount.field === "CURDEF" ? (currency ?? "") : text,
        amount.wanted,
        this.#statement,
      );
    this.#signs.add(get("TRNTYPE") ?? "", amount);
    if (decimalsOf(currency ?? "") !== 3) this.#separators.add(text);
    const booked = get("DTPOSTED") ?? "";
    const available = get("DTAVAIL");
    const booked_date = dayOf(booked);
    if (booked_date === null)
      return out.refuse(
        position,
        "DTPOSTED",
        "This is not a date.",
        booked,
        "a day of the calendar as YYYYMMDD",
        this.#statement,
      );
    const value_date = available === undefined ? booked_date : dayOf(available);
    if (value_date === null)
      return out.refuse(
        position,
        "DTAVAIL",
        "This is not a date.",
        available ?? "",
        "a day of the calendar as YYYYMMDD",
        this.#statement,
      );
    const line: ImportLine = {
      amount_minor: amount,
      currency: currency as string,
      value_date,
      booked_date,
      details: new DetailsBuilder()
        .add("transaction_type", get("TRNTYPE"))
        .add("cheque_number", get("CHECKNUM"))
        .add("reference_number", get("REFNUM"))
        .add("server_id", get("SRVRTID"))
        .add("user_date", dayOf(get("DTUSER") ?? "") ?? undefined)
        .add("counterparty_account", get("BANKACCTTO.ACCTID") ?? get("CCACCTTO.ACCTID"))
        .add("original_currency", get("ORIGCURRENCY.CURSYM"))
        .add("exchange_rate", get("ORIGCURRENCY.CURRATE") ?? get("CURRENCY.CURRATE")).details,
      position,
    };
    const id = get("FITID");
    if (id !== undefined) line.external_id = `${this.#idPrefix}${id}`;
    const reference = get("CHECKNUM") ?? get("REFNUM");
    if (reference !== undefined) line.reference = reference;
    const counterparty = get("NAME") ?? get("PAYEE.NAME") ?? get("EXTDPAYEE.NAME");
    if (counterparty !== undefined) line.counterparty = counterparty;
    const description = get("MEMO");
    if (description !== undefined) line.description = description;
    out.add(line, this.#statement);
  }

  /** Whether a transaction is booked money: some banks also write reserved amounts and balances. */
  #isLine(leaves: Leaves, position: Place): boolean {
    const { out } = this.#reading;
    const texts = ["NAME", "MEMO"].flatMap((name) => leaves.get(name) ?? []);
    const shown = [leaves.get("DTPOSTED"), leaves.get("TRNAMT"), ...texts].join(" ");
    if (leaves.get("TRNTYPE")?.toUpperCase() === "HOLD") {
      out.skip(position, "pending", shown);
      return false;
    }
    const pending = texts.find((text) => wholeStateOf(beginningOf(text) ?? "") === "pending");
    if (pending !== undefined) {
      const expected = "booked transactions in STMTTRN";
      out.refuse(position, "STMTTRN", "It may not be booked.", pending, expected, this.#statement);
      return false;
    }
    const labels = texts.map(balanceLabel);
    const [first] = labels;
    if (first === undefined || labels.includes(undefined)) return true;
    if (first === "unclear") {
      const problem = "It may be a payment, or state a balance.";
      const expected = "balances in LEDGERBAL";
      out.refuse(position, "STMTTRN", problem, texts[0] ?? "", expected, this.#statement);
    } else out.skip(position, "total", shown);
    return false;
  }

  /** OFX allows a point or a comma before the decimals, and no thousands separators. */
  #amount(text: string, currency: string | undefined): number | (Fault & { field: string }) {
    if (currency === undefined || decimalsOf(currency) === undefined) {
      return {
        field: "CURDEF",
        problem: "This is not a currency.",
        wanted: "an ISO 4217 code such as USD",
      };
    }
    const amount = standardAmount(text, currency, text.includes(",") ? "," : ".");
    return typeof amount === "number" ? amount : { field: "TRNAMT", ...amount };
  }

  #mismatch(place: Place, found: string, wanted: string): Error {
    return refuseFile(place, null, "The tags do not fit together.", found, wanted);
  }
}

/** `YYYYMMDD`, or with ISO's dashes; the time and its zone, in brackets or in words, may follow. */
const DATE =
  /^(\d{4})(-?)(\d\d)\2(\d\d)(?:[T ]?\d{2}[\d:]{0,8}(?:[.,]\d{0,9})?)?\s*(?:\[[^\]]{0,40}\]?|[+-]\d{1,2}(?::?\d\d)?|[A-Za-z][\w/+: -]{0,40})?$/;

function dayOf(text: string): string | null {
  const [, year = "", , month = "", day = ""] = DATE.exec(text.trim()) ?? [];
  return eightDigitDay(`${year}${month}${day}`);
}
