/**
 * Where a spreadsheet starts to read a formula: at the start of a cell, or after a character that
 * some programs read as the end of the previous cell.
 */
const FORMULA = /^(?=\s*[;=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])(?=[^\S\t\r\n]*[=+\-@＝＋－＠])/gu;

/**
 * How cells and lines are separated (RFC 4180). Without `quoted_match`, a cell with a line feed but
 * no carriage return is not quoted, nor one that other programs split at a semicolon or a tab.
 */
export const CSV_LAYOUT = { record_delimiter: "windows", quoted_match: /[;\t\r\n]/ } as const;

/** Puts an apostrophe before each start of a formula (OWASP, CSV Injection). */
export function escapeFormula(text: string): string {
  return text.replace(FORMULA, "'");
}
