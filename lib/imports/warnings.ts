import type { StatementSummary, Summary, Warning } from "./formats/line.ts";

/**
 * The warnings of an import or a preview, from what was read; the reader's own warnings come last.
 */
export function warningsOf(summary: Summary): Warning[] {
  const { skipped_count, refused_count, statements } = summary;
  const warnings: Warning[] = [];
  if (skipped_count > 0) {
    const entries = skipped_count === 1 ? "1 entry was" : `${skipped_count} entries were`;
    warnings.push({ code: "skipped", message: `${entries} skipped: see skips for the reasons.` });
  }
  if (refused_count > 0) {
    const lines = refused_count === 1 ? "1 line was" : `${refused_count} lines were`;
    warnings.push({ code: "refused", message: `${lines} refused: see refusals for the reasons.` });
  }
  if (summary.balance_holds === false) warnings.push(balanceWarning(statements));
  if (summary.control_totals_hold === false) {
    const message = "The counts or sums that the file states differ from its lines.";
    warnings.push({ code: "control_totals_differ", message });
  }
  return [...warnings, ...summary.warnings];
}

function balanceWarning(statements: StatementSummary[]): Warning {
  const broken = statements.find(({ balance_holds }) => balance_holds === false);
  const which = broken?.id ? `In statement ${broken.id}, the` : "The";
  const message = `${which} opening balance and the lines read don't add up to the closing balance.`;
  return { code: "balance_differs", message };
}
