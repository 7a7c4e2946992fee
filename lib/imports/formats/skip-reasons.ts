/** Reasons and warnings for the entries of a file. Safe in the browser. */

/** Why an entry of a file is not a line: it isn't booked money. */
export const SKIP_REASONS = [
  "pending",
  "declined",
  "information",
  "expected",
  "total",
  "non_monetary",
  "unsupported",
  "status",
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** The warnings about a file that could be read. */
export const WARNING_CODES = [
  "nothing_stored",
  "skipped",
  "refused",
  "balance_differs",
  "running_balance_breaks",
  "several_accounts",
  "hidden_rows",
  "control_totals_differ",
] as const;
export type WarningCode = (typeof WARNING_CODES)[number];
