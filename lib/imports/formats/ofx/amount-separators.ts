import { refuseFile } from "../refusal.ts";

const MAY_BE_THOUSANDS = /^[-+]?[1-9]\d{0,2}([.,])\d{3}$/;
const DECIMALS = /([.,])\d*$/;

/**
 * Detects thousands separators in a file's amounts, which OFX forbids but some programs write: in a
 * file with 45.20, 1,650 is 1650, and in a file with 45,20 it is 1.65.
 */
export class AmountSeparators {
  /** The first amount that may have a thousands separator, by that separator. */
  readonly #ambiguous = new Map<string, string>();
  readonly #decimalMarks = new Set<string>();

  add(amount: string): void {
    const [, thousands] = MAY_BE_THOUSANDS.exec(amount) ?? [];
    const [, mark] = DECIMALS.exec(amount) ?? [];
    if (thousands === undefined && mark !== undefined) this.#decimalMarks.add(mark);
    else if (thousands !== undefined && !this.#ambiguous.has(thousands))
      this.#ambiguous.set(thousands, amount);
  }

  /** @throws FileRefused if other amounts have the other separator before their decimals */
  check(): void {
    for (const [mark, amount] of this.#ambiguous) {
      if (!this.#decimalMarks.has(mark === "." ? "," : ".")) continue;
      throw refuseFile(
        { line: 1 },
        "TRNAMT",
        "The separator can be read as decimals or as thousands.",
        amount,
        "amounts without thousands separators, as OFX requires",
      );
    }
  }
}
