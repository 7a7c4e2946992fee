import type { Place } from "./refusal.ts";

/** The maximum number of accounts that are distinguished in a file. */
const MAX_ACCOUNTS = 1_000;

/** One way in which a file's balances may follow its amounts, and how many rows confirm it. */
export type BalancePattern = {
  order: "oldest_first" | "newest_first";
  /** -1 if the balance is an amount owed, which grows as money goes out. */
  polarity: 1 | -1;
  holds: number;
  breaks: number;
  firstBreak: Place | null;
};

type Account = {
  balance: number;
  place: Place;
  /**
   * Sums of amounts since the last balance: `after` includes the current row and excludes the row
   * of that balance; `before` excludes the current row and includes the row of that balance.
   */
  after: number;
  before: number;
};

/** A row with a balance, and the sum of all amounts down to and including that row. */
type BalancedRow = { balance: number; amount: number; sum: number };

const ORDERS = ["oldest_first", "newest_first"] as const;

/**
 * Compares each row's balance with the previous one and the amounts between, in both row orders.
 */
export class RunningBalance {
  readonly patterns: BalancePattern[] = [1 as const, -1 as const].flatMap((polarity) =>
    ORDERS.map((order) => ({ order, polarity, holds: 0, breaks: 0, firstBreak: null })),
  );
  readonly #accounts = new Map<string, Account>();
  #sum = 0;
  #first: BalancedRow | null = null;
  #last: BalancedRow | null = null;
  #isInterrupted = false;

  /** `balance`: null if the row has none. */
  add(account: string, amount: number, balance: number | null, place: Place): void {
    this.#sum += amount;
    if (balance !== null) {
      this.#last = { balance, amount, sum: this.#sum };
      this.#first ??= this.#last;
    }
    const last = this.#accounts.get(account);
    if (last) {
      last.after += amount;
      if (balance === null) {
        last.before += amount;
        return;
      }
      const step = balance - last.balance;
      for (const pattern of this.patterns) {
        const expected =
          pattern.polarity * (pattern.order === "oldest_first" ? last.after : -last.before);
        if (step === expected) pattern.holds++;
        else {
          pattern.breaks++;
          pattern.firstBreak ??= pattern.order === "oldest_first" ? place : last.place;
        }
      }
      last.balance = balance;
      last.place = place;
      last.after = 0;
      last.before = amount;
    } else if (balance !== null && this.#accounts.size < MAX_ACCOUNTS)
      this.#accounts.set(account, { balance, place, after: 0, before: amount });
  }

  /**
   * Whether a row's balance differs from the last one by the row's amount, as in rows sorted oldest
   * first. Null if the last row's amount explains it, as in rows sorted newest first: then the next
   * row decides.
   */
  isMovedBy(account: string, amount: number, balance: number): boolean | null {
    const last = this.#accounts.get(account);
    if (!last || amount === 0) return false;
    const steps = [1, -1].map((polarity) => balance - last.balance - polarity * last.after);
    if (steps.some((step) => Math.abs(step) === Math.abs(amount))) return true;
    const isAfter = [1, -1].some(
      (polarity) => last.before !== 0 && balance === last.balance - polarity * last.before,
    );
    return isAfter ? null : false;
  }

  /** An unreadable row interrupts the sequence: the comparison starts again after it. */
  interrupt(): void {
    this.#accounts.clear();
    this.#isInterrupted = true;
  }

  /**
   * The balances before the first line and after the last one, with the sign of the amounts. Null
   * unless every row can be read, at least one balance could be compared, and all of them hold.
   */
  get ends(): { opening: number; closing: number } | null {
    const { order, polarity, holds, breaks } = this.best;
    if (!this.#first || !this.#last || this.#isInterrupted || holds === 0 || breaks > 0)
      return null;
    const [first, last] = [this.#first, this.#last];
    const [top, bottom] = [polarity * first.balance, polarity * last.balance];
    return order === "oldest_first"
      ? { opening: top - first.sum, closing: bottom + this.#sum - last.sum }
      : {
          opening: bottom - last.amount - (this.#sum - last.sum),
          closing: top + first.sum - first.amount,
        };
  }

  /** The pattern that most rows confirm. */
  get best(): BalancePattern {
    return this.patterns.reduce((best, pattern) => (pattern.holds > best.holds ? pattern : best));
  }
}
