import { decimalsOf } from "../../../wire/currencies.ts";
import { standardAmount } from "../../../wire/money.ts";
import type { Statement } from "../statement.ts";

/** The maximum number of stated totals for each side of a statement. */
export const MAX_TOTALS = 1_000;
const TOTAL = /^(\d{1,5})\s*([A-Z]{3})\s*(\d{1,24}(?:,\d{0,10})?|,\d{1,10})$/;

/** `stated`: the content of each field, null if it is not a total. */
type Side = { count: number; sum: bigint; stated: ({ count: number; sum: bigint } | null)[] };

/** Counts and sums of a statement's lines, compared with its :90C: and :90D:. */
export class Mt940Totals {
  readonly #credits: Side = { count: 0, sum: 0n, stated: [] };
  readonly #debits: Side = { count: 0, sum: 0n, stated: [] };

  tally(minor: number): void {
    const side = minor < 0 ? this.#debits : this.#credits;
    side.count++;
    side.sum += BigInt(Math.abs(minor));
  }

  get areStated(): boolean {
    return this.#credits.stated.length + this.#debits.stated.length > 0;
  }

  /** Adds a total that the statement states. @returns false if there are too many */
  addStated(name: string, text: string, statementCurrency: string | null): boolean {
    const [, count = "", currency = "", amount = ""] = TOTAL.exec(text) ?? [];
    const minor =
      decimalsOf(currency) === undefined ? undefined : standardAmount(amount, currency, ",");
    const side = name === "90D" ? this.#debits : this.#credits;
    const isTotal = typeof minor === "number" && currency === statementCurrency;
    side.stated.push(isTotal ? { count: Number(count), sum: BigInt(minor) } : null);
    return side.stated.length <= MAX_TOTALS;
  }

  /** Lines may follow the totals: call this at the end of the statement. */
  check(statement: Statement): void {
    for (const { count, sum, stated } of [this.#credits, this.#debits]) {
      for (const total of stated) statement.control(total?.count === count && total.sum === sum);
    }
    // If only one side has a total, the other side must have no lines.
    const [given, missing] =
      this.#credits.stated.length > 0
        ? [this.#credits, this.#debits]
        : [this.#debits, this.#credits];
    if (given.stated.length > 0 && missing.stated.length === 0 && missing.count > 0)
      statement.control(false);
  }
}
