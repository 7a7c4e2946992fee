import { type SummaryLabel, summaryLabel } from "../words/summary-labels.ts";

export type SummaryVerdict = "summary" | "unclear" | "line";

/**
 * Distinguishes rows that state a balance or a total in the amount column from lines, by their text
 * and by the sums of the lines before them.
 */
export class SummaryRows {
  #count = 0;
  #sum = 0;
  #debits = 0;
  #credits = 0;
  #sumSinceTotal = 0;
  /** The balance in the last row that states one, and the sum of the lines after it. */
  #balance: number | undefined;
  #sumSinceBalance = 0;

  /** @param amount of a line, in minor units */
  add(amount: number): void {
    this.#count++;
    this.#sum += amount;
    this.#sumSinceTotal += amount;
    this.#sumSinceBalance += amount;
    if (amount < 0) this.#debits += amount;
    else this.#credits += amount;
  }

  /** @param amountOf the row's amount in minor units; null if it can't be read */
  verdictOf(text: string, amountOf: () => number | null): SummaryVerdict {
    const label = summaryLabel(text);
    if (label === undefined) return "line";
    const amount = amountOf();
    const isSum = amount !== null && this.#matchesLines(label, amount);
    if (label.kind === "total") this.#sumSinceTotal = 0;
    else if (amount !== null) {
      this.#balance = amount;
      this.#sumSinceBalance = 0;
    }
    if (isSum) return "summary";
    // One word may be a name, such as that of the filling station Total.
    if (label.isOneWord) return label.kind === "total" ? "line" : "unclear";
    return label.kind === "balance" ? "summary" : "unclear";
  }

  /**
   * Whether the lines before the row add up to its amount. After a single line, the word may be
   * about a payment of the same amount.
   */
  #matchesLines({ kind, isOneWord }: SummaryLabel, amount: number): boolean {
    if (isOneWord && this.#count < 2) return false;
    if (kind === "balance")
      return (
        amount === this.#sum ||
        (this.#balance !== undefined && amount === this.#balance + this.#sumSinceBalance)
      );
    const sides = [this.#debits, this.#credits].flatMap((side) => [side, -side]);
    return [this.#sum, this.#sumSinceTotal, ...sides].includes(amount);
  }
}
