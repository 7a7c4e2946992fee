import type { StatementSummary, Summary } from "./formats/line.ts";
import type { Refusal } from "./formats/refusal.ts";
import { warningsOf } from "./warnings.ts";

/** The warning of an import that stored no line, for any reason. */
export const NOTHING_STORED = {
  code: "nothing_stored",
  message: "No new line was stored.",
} as const;
const MAX_REPORTED_STATEMENTS = 100;
export const MAX_REPORTED_REFUSALS = 100;

/** The results of reading a file that its import and its preview report. */
export function outcomeOf(summary: Summary) {
  return {
    read_count: summary.line_count,
    refused_count: summary.refused_count,
    skipped_count: summary.skipped_count,
    skips: summary.skips,
    warnings: warningsOf(summary),
    statements: summary.statements.slice(0, MAX_REPORTED_STATEMENTS),
    ...balancesOf(summary.statements),
    balance_holds: summary.balance_holds,
    bytes_read: summary.bytes_read,
  };
}

/**
 * The first statement's opening balance and the last one's closing balance, if all statements
 * belong to one account.
 */
function balancesOf(statements: StatementSummary[]) {
  const [first] = statements;
  const isOneAccount = statements.every(
    ({ account, currency }) => account === first?.account && currency === first?.currency,
  );
  return {
    opening_balance_minor: isOneAccount ? (first?.opening_balance_minor ?? null) : null,
    closing_balance_minor: isOneAccount ? (statements.at(-1)?.closing_balance_minor ?? null) : null,
  };
}

export function describeRefusal({ line, field, message }: Refusal): {
  line: number;
  field: string | null;
  message: string;
} {
  return { line, field, message };
}
