/** The maximum number of distinct accounts of a file. */
const ACCOUNTS_MAX = 100_000;

/**
 * A set of accounts. Over its limit it contains every account, so that nothing is imported twice.
 */
export class AccountNumbers {
  readonly #numbers = new Set<string>();
  #isFull = false;

  add(number: string): void {
    if (this.#numbers.size < ACCOUNTS_MAX) this.#numbers.add(number);
    else if (!this.#numbers.has(number)) this.#isFull = true;
  }

  has(number: string): boolean {
    return this.#isFull || this.#numbers.has(number);
  }
}
