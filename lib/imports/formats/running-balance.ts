import type { Place } from "./refusal.ts";

/** The maximum number of accounts that are distinguished in a file. */
const ACCOUNTS_MAX = 1_000;

/** How the balances of a file follow its amounts. */
export type BalanceCourse = {
  order: "oldest_first" | "newest_first";
  /** -1: an amount owed, which grows as money goes out. */
  polarity: 1 | -1;
  holds: number;
  breaks: number;
  firstBreak: Place | null;
};

type Account = {
  balance: number;
  place: Place;
  /**
   * The sums since the last balance: `after` includes this row but not the balance's, `before` the
   * balance's row but not this one.
   */
  after: number;
  before: number;
};

/** A row with a balance, and the sum of all amounts down to that row, its own included. */
type BalancedRow = { balance: number; amount: number; sum: number };

const ORDERS = ["oldest_first", "newest_first"] as const;

/**
 * Compares each row's balance with the previous one and the amounts between, in both row orders.
 */
export class RunningBalance {
  readonly courses: BalanceCourse[] = [1 as const, -1 as const].flatMap((polarity) =>
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
      for (const course of this.courses) {
        const expected =
          course.polarity * (course.order === "oldest_first" ? last.after : -last.before);
        if (step === expected) course.holds++;
        else {
          course.breaks++;
          course.firstBreak ??= course.order === "oldest_first" ? place : last.place;
        }
      }
      last.balance = balance;
      last.place = place;
      last.after = 0;
      last.before = amount;
    } else if (balance !== null && this.#accounts.size < ACCOUNTS_MAX)
      this.#accounts.set(account, { balance, place, after: 0, before: amount });
  }

  /**
   * Whether a row's balance differs from the last one by the row's amount, in rows from the oldest;
   * null if it follows from the last row, in rows from the newest, and the next row will tell.
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
   * The balances before the first line and after the last one, in the sign of the amounts. Null
   * unless every row can be read and at least one balance follows from the one before it.
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

  /** The order that most rows follow. */
  get best(): BalanceCourse {
    return this.courses.reduce((best, course) => (course.holds > best.holds ? course : best));
  }
}
