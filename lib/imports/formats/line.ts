import type { Place } from "./refusal.ts";
import type { SkipReason, WarningCode } from "./skip-reasons.ts";

/**
 * The data of a line beyond the fields. CSV and JSON: cells and members without a mapping, under
 * their own names. Other formats, if they have it: `transaction_code`, `bank_reference` (the bank's
 * own, not always unique), `entry_reference`, `customer_reference`, `end_to_end_id`,
 * `creditor_reference`, `invoice_number`, `mandate_id`, `creditor_id`, `counterparty_account`,
 * `counterparty_bank`, `ultimate_counterparty`, `posting_text`, `purpose`, `return_reason`,
 * `reversal` (true), `instructed_amount`, `original_amount`, `exchange_rate`, `charges`,
 * `batch_count`, `transactions` (of an entry that stays one line), and a few of single formats.
 * `cut` names the texts that were too long to keep whole.
 */
export type Details = Record<string, unknown>;

/** One amount on one day. Text is as received, decoded and trimmed. */
export type ImportLine = {
  /**
   * The line's unique ID, present only if the file's format or the mapping guarantees that no other
   * line has it.
   */
  external_id?: string;
  /** Signed: money in is positive. In the currency's minor unit, within ±(2⁵³ − 1). */
  amount_minor: number;
  /**
   * The fee withheld from the amount, by the same rules: amount − fee was paid out. A negative fee
   * is a refund.
   */
  fee_minor?: number;
  /** ISO 4217. */
  currency: string;
  /** `YYYY-MM-DD` */
  value_date: string;
  booked_date?: string;
  reference?: string;
  counterparty?: string;
  description?: string;
  group_key?: string;
  details: Details;
  position: Place;
};

/**
 * The maximum lengths of texts in UTF-16 units. A longer identifier is refused, because a truncated
 * one would be a different identifier; a longer name or description is truncated, and `details.cut`
 * names it.
 */
export const MAX_TEXT_LENGTH = {
  external_id: 200,
  reference: 500,
  group_key: 200,
  counterparty: 500,
  description: 4_000,
} as const;
/**
 * The length of all names and texts of `details` together; the rest is left out, and `details.cut`
 * says "details".
 */
export const DETAILS_MAX_LENGTH = 12_000;

/** An entry that was skipped, with the data that a person needs to find it in the file. */
export type Skip = {
  /** Line of the file, from 1. */
  line: number;
  reason: SkipReason;
  /** How the file writes it, at most 200 characters. */
  text: string;
};

export type Warning = { code: WarningCode; message: string };

/** A statement, report, notification or account in a file. Amounts in minor units of `currency`. */
export type StatementSummary = {
  id: string | null;
  /** The account as the file writes it, IBAN or other. */
  account: string | null;
  currency: string | null;
  opening_balance_minor: number | null;
  closing_balance_minor: number | null;
  /** Opening + lines = closing. Null if the file lacks one of the two. */
  balance_holds: boolean | null;
  /**
   * Whether the counts and sums that the file states match (BAI2 trailers, :90D: and :90C:,
   * TtlNtries). Null if it states none.
   */
  control_totals_hold: boolean | null;
  line_count: number;
  /** The sum of its lines, as text, because it may exceed 2⁵³. */
  sum_minor: string;
  /** `YYYY-MM-DD`: as the file states it, otherwise its lines' first and last value date. */
  period_start: string | null;
  period_end: string | null;
};

/** What was read so far; final once the batches have ended. */
export type Summary = {
  line_count: number;
  refused_count: number;
  /**
   * Entries that are not booked money: pending and information entries, totals rows, non-monetary
   * records.
   */
  skipped_count: number;
  /** The first 100. */
  skips: Skip[];
  /** The reader's own warnings. */
  warnings: Warning[];
  bytes_read: number;
  statement_count: number;
  /** The first 1,000. */
  statements: StatementSummary[];
  /**
   * False if any statement's balances differ, true if all that can be checked hold, null if none
   * can be checked.
   */
  balance_holds: boolean | null;
  control_totals_hold: boolean | null;
  /** Currencies of the lines. */
  currencies: string[];
  first_value_date: string | null;
  last_value_date: string | null;
};
