import { refuseFile } from "../refusal.ts";

const MIN_TRANSACTIONS = 2;

/**
 * Checks that the signs of a file's amounts follow OFX: money out is negative. Some banks write
 * amounts without a sign, or positive amounts for money owed on a card, which only the types of
 * transactions show.
 */
export class TransactionSigns {
  #count = 0;
  #positiveDebits = 0;
  /** Negative transactions that aren't called credits. */
  #negative = 0;

  add(type: string, amount: number): void {
    this.#count++;
    if (type.toUpperCase() === "DEBIT" && amount > 0) this.#positiveDebits++;
    if (type.toUpperCase() !== "CREDIT" && amount < 0) this.#negative++;
  }

  /** @throws FileRefused if debits are positive, and nothing but credits is negative */
  check(): void {
    if (this.#count < MIN_TRANSACTIONS || this.#positiveDebits === 0 || this.#negative > 0) return;
    throw refuseFile(
      { line: 1 },
      "TRNAMT",
      "The amounts of debits have no minus, so the file doesn't say which way the money goes.",
      "<TRNTYPE>DEBIT with a positive <TRNAMT>",
      "negative amounts for money out, or the same statement as CSV",
    );
  }
}
