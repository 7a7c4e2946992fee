/**
 * Rows of a workbook that its sheet hides. They are read, as other programs do, because a filter
 * that someone left on hides booked lines, too; a warning says so.
 */
import type { Warning } from "../line.ts";

/** The first cell of a record behind a sheet's rows, which no sheet has. */
const MARK = "\u0002hidden";
const ROWS_NAMED = 5;

/** The record that tells the reader of a sheet's CSV which rows are hidden; empty without any. */
export function hiddenRowsRecord(rows: readonly number[]): string {
  const named = rows.slice(0, ROWS_NAMED).join(",");
  return rows.length === 0 ? "" : `${MARK},${rows.length},${named}\n`;
}

/** The warning that such a record stands for; undefined for other records. */
export function hiddenRowsWarning([mark, count, ...rows]: readonly string[]): Warning | undefined {
  if (mark !== MARK) return undefined;
  const more = Number(count) - rows.length;
  const named = `${rows.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const message = `The sheet hides rows, which were read like the others: ${named}.`;
  return { code: "hidden_rows", message };
}
