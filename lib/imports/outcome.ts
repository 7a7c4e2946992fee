import type { StatementSummary, Summary } from "./formats/line.ts";
import type { Refusal } from "./formats/refusal.ts";
import { warningsOf } from "./warnings.ts";

/** The warning of an import that stored no line, whatever the reason. */
export const NOTHING_STORED = {
  code: "nothing_stored",
  message: "No new line was stored.",
} as const;
const STATEMENTS_REPORTED = 100;
export const REFUSALS_REPORTED = 100;

/** The part of what was read that an import and its preview report. */
export function outcomeOf(summary: Summary) {
  return {
    read_count: summary.line_count,
    refused_count: summary.refused_count,
    skipped_count: summary.skipped_count,
    skips: summary.skips,
    warnings: warningsOf(summary),
    statements: summary.statements.slice(0, STATEMENTS_REPORTED),
    ...balancesOf(summary.statements),
    balance_holds: summary.balance_holds,
    bytes_read: summary.bytes_read,
  };
}

/** The first statement's opening and the last one's closing, if all belong to one account. */
function balancesOf(statements: StatementSummary[]) {
  const [first] = statements;
  const isOne = statements.every(
    ({ account, currency }) => account === first?.account && currency === first?.currency,
  );
  return {
    opening_balance_minor: isOne ? (first?.opening_balance_minor ?? null) : null,
    closing_balance_minor: isOne ? (statements.at(-1)?.closing_balance_minor ?? null) : null,
  };
}

export function describeRefusal({ line, field, message }: Refusal): {
  line: number;
  field: string | null;
  message: string;
} {
  return { line, field, message };
}
