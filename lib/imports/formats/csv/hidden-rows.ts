/**
 * Rows that a workbook's sheet hides. They are read, as other programs do, because a filter that
 * was left on hides booked lines, too. A warning lists them.
 */
import type { Warning } from "../line.ts";

/** The first cell of the record after a sheet's rows. No sheet has this text. */
const RECORD_MARK = "\u0002hidden";
const MAX_NAMED_ROWS = 5;

/** The record that tells the reader of a sheet's CSV which rows are hidden; empty without any. */
export function hiddenRowsRecord(rows: readonly number[]): string {
  const named = rows.slice(0, MAX_NAMED_ROWS).join(",");
  return rows.length === 0 ? "" : `${RECORD_MARK},${rows.length},${named}\n`;
}

/** The warning about the rows in such a record; undefined for other records. */
export function hiddenRowsWarning([mark, count, ...rows]: readonly string[]): Warning | undefined {
  if (mark !== RECORD_MARK) return undefined;
  const more = Number(count) - rows.length;
  const named = `${rows.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const message = `The sheet hides rows, which were read like the others: ${named}.`;
  return { code: "hidden_rows", message };
}
