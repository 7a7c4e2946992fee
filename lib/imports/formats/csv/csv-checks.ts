import { writtenAmount } from "../../../wire/money.ts";
import type { ImportLine } from "../line.ts";
import type { LineCollector } from "../line-collector.ts";
import type { Reading } from "../reader.ts";
import { type BalancePattern, RunningBalance } from "../running-balance.ts";
import { Statement } from "../statement.ts";
import { isAvailableBalance } from "../words/balance-labels.ts";
import { plainWords } from "../words/plain-words.ts";
import { minorOf, type StatedBalance } from "./csv-stated-balances.ts";

/** Names of columns whose values distinguish the accounts of a file. */
const ACCOUNT_NAMES =
  /\b(?:account|accounts|konto|kontonummer|auftragskonto|kontonr|iban|compte|cuenta|conto|conta|rekening|iban bban|konto nr|product|produkt|produit|producto|pocket|wallet|portfolio|currency|wahrung|waehrung|devise|divisa|moneda|muntsoort|valuta)\b/;
/**
 * Checks a table's lines against the balances in its rows, and against the balances stated above
 * and below it.
 */
export class BalanceChecks {
  readonly statement = new Statement();
  readonly #reading: Reading;
  readonly #whole = new RunningBalance();
  readonly #byAccount = new RunningBalance();
  #column = -1;
  #accountColumns: number[] = [];
  #firstDay: string | null = null;
  #lastDay: string | null = null;
  #stated = 0;
  #conflicting = false;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  setColumns(columns: readonly string[]): void {
    const name = this.#reading.mapping?.balance;
    this.#column = name === undefined ? -1 : columns.indexOf(name);
    this.#accountColumns = columns
      .map((column, at) => (ACCOUNT_NAMES.test(plainWords(column)) ? at : -1))
      .filter((at) => at >= 0 && at !== this.#column);
  }

  addLine(line: ImportLine, cells: readonly string[]): void {
    if (this.#column < 0) return;
    const text = (cells[this.#column] ?? "").trim();
    const read =
      text === ""
        ? null
        : writtenAmount(text, line.currency, this.#reading.mapping?.decimal_separator);
    const balance = typeof read === "number" ? read : null;
    const amount = line.amount_minor - (line.fee_minor ?? 0);
    const day = line.booked_date ?? line.value_date;
    if (this.#firstDay === null || day < this.#firstDay) this.#firstDay = day;
    if (this.#lastDay === null || day > this.#lastDay) this.#lastDay = day;
    this.#whole.add("", amount, balance, line.position);
    if (this.#accountColumns.length > 0)
      this.#byAccount.add(this.#accountOf(cells), amount, balance, line.position);
  }

  #accountOf(cells: readonly string[]): string {
    let account = "";
    for (const at of this.#accountColumns) account += `${cells[at]}\n`;
    return account;
  }

  /**
   * Whether a row's amount explains the change of the balance, so that the row is a line regardless
   * of its text; null if only the next row can show that.
   */
  isMovedBy(amount: string, cells: readonly string[]): boolean | null {
    const moved = this.minorOf(amount);
    const balance = this.minorOf((cells[this.#column] ?? "").trim());
    if (moved === null || balance === null) return false;
    if (Math.abs(moved) === Math.abs(balance)) return false;
    const inFile = this.#whole.isMovedBy("", moved, balance);
    if (inFile === true || this.#accountColumns.length === 0) return inFile;
    return this.#byAccount.isMovedBy(this.#accountOf(cells), moved, balance) ?? inFile;
  }

  addRefusal(): void {
    this.statement.refuse();
    this.#whole.interrupt();
    this.#byAccount.interrupt();
  }

  /** An amount of the table, in minor units; null if it can't be read with certainty. */
  minorOf(amount: string): number | null {
    const { mapping, currency } = this.#reading;
    const stated = { kind: "closing" as const, amount, currency: null };
    return minorOf(stated, mapping?.currency ?? currency, mapping?.decimal_separator);
  }

  /** Uses the ends of the running balance for a file that states no other balance. */
  #useRunningEnds(): void {
    const isOfOneAccount = this.pattern === this.#whole.best;
    const ends = this.#stated === 0 && isOfOneAccount ? this.#whole.ends : null;
    const column = this.#reading.mapping?.balance;
    if (ends === null || column === undefined || isAvailableBalance(column)) return;
    const { statement } = this;
    Object.assign(statement, ends, { periodStart: this.#firstDay, periodEnd: this.#lastDay });
    if (statement.summary().balance_holds) this.#stated = 1;
  }

  /**
   * Adds a balance that is stated outside of the table, or in one of its rows that is not a line.
   */
  addStated(stated: StatedBalance): void {
    const { mapping, currency } = this.#reading;
    const fileCurrency = mapping?.currency ?? currency;
    const minor = minorOf(stated, fileCurrency, mapping?.decimal_separator);
    if (minor === null) return;
    this.#stated++;
    const before = this.statement[stated.kind];
    if (before !== null && before !== minor) this.#conflicting = true;
    this.statement[stated.kind] = minor;
    if (stated.currency !== null) this.statement.agreeOn(stated.currency);
  }

  /** How the rows' balances follow the amounts: in the whole file, or in each of its accounts. */
  get pattern(): BalancePattern {
    const [whole, byAccount] = [this.#whole.best, this.#byAccount.best];
    const isByAccount =
      byAccount.holds > whole.holds ||
      (byAccount.holds === whole.holds && byAccount.holds > 0 && byAccount.breaks < whole.breaks);
    return isByAccount ? byAccount : whole;
  }

  end(out: LineCollector): void {
    this.#useRunningEnds();
    // Conflicting balances belong to several accounts.
    if (this.#stated > 0 && !this.#conflicting) out.close(this.statement);
    const { holds, breaks, firstBreak } = this.pattern;
    if (firstBreak === null) return;
    const column = this.#reading.mapping?.balance;
    const message =
      holds === 0
        ? `Column "${column}" doesn't follow from the amounts in ` +
          `either row order, first in row ${firstBreak.line}.`
        : `Row ${firstBreak.line}: the balance in column "${column}" doesn't follow from the amounts${
            breaks > 1 ? `, nor in ${breaks - 1} more` : ""
          }.`;
    out.warn("running_balance_breaks", message);
  }
}
