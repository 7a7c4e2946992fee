import type { ImportLine, StatementSummary } from "./line.ts";

/** The data of one statement while its lines are read. */
export class Statement {
  id: string | null = null;
  account: string | null = null;
  currency: string | null = null;
  opening: number | null = null;
  closing: number | null = null;
  periodStart: string | null = null;
  periodEnd: string | null = null;
  /** Whether the counts and sums that the file states match; null until it states one. */
  controls: boolean | null = null;
  /** Balances that contradict each other: two currencies, two openings. */
  contradictory = false;
  sum = 0n;
  lineCount = 0;
  #refusedCount = 0;
  #first: string | null = null;
  #last: string | null = null;
  #hasOtherCurrency = false;

  count(line: ImportLine): void {
    this.lineCount++;
    this.sum += BigInt(line.amount_minor);
    this.currency ??= line.currency;
    if (line.currency !== this.currency) this.#hasOtherCurrency = true;
    if (this.#first === null || line.value_date < this.#first) this.#first = line.value_date;
    if (this.#last === null || line.value_date > this.#last) this.#last = line.value_date;
  }

  /** Called if one of its lines, or a balance, could not be read. */
  refuse(): void {
    this.#refusedCount++;
  }

  /** Sets the statement's currency from a balance; two currencies contradict each other. */
  agreeOn(currency: string): void {
    this.currency ??= currency;
    if (this.currency !== currency) this.contradictory = true;
  }

  control(holds: boolean): void {
    this.controls = holds && this.controls !== false;
  }

  summary(): StatementSummary {
    return {
      id: this.id,
      account: this.account,
      currency: this.currency,
      opening_balance_minor: this.opening,
      closing_balance_minor: this.closing,
      balance_holds: this.#balanceHolds(),
      control_totals_hold: this.controls,
      line_count: this.lineCount,
      sum_minor: String(this.sum),
      period_start: this.periodStart ?? this.#first,
      period_end: this.periodEnd ?? this.#last,
    };
  }

  #balanceHolds(): boolean | null {
    if (this.contradictory) return false;
    if (this.opening === null || this.closing === null) return null;
    if (this.#refusedCount > 0 || this.#hasOtherCurrency) return false;
    return BigInt(this.opening) + this.sum === BigInt(this.closing);
  }
}
