/**
 * Where a spreadsheet starts to read a formula: at the start of a cell, or after a character that
 * some programs read as the end of the previous cell.
 */
const FORMULA = /^(?=\s*[;=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])(?=[=+\-@＝＋－＠])/gu;

/** Puts an apostrophe before each start of a formula (OWASP, CSV Injection). */
export function escapeFormula(text: string): string {
  return text.replace(FORMULA, "'");
}
