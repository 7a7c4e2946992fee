/** The maximum number of distinct accounts of a file. */
const MAX_ACCOUNTS = 100_000;

/**
 * A set of account numbers. Over its limit it claims to contain every number, so that nothing is
 * imported twice.
 */
export class AccountNumbers {
  readonly #numbers = new Set<string>();
  #isFull = false;

  add(number: string): void {
    if (this.#numbers.size < MAX_ACCOUNTS) this.#numbers.add(number);
    else if (!this.#numbers.has(number)) this.#isFull = true;
  }

  has(number: string): boolean {
    return this.#isFull || this.#numbers.has(number);
  }
}
