/** What makes a spreadsheet read a cell as a formula, at its start or after what some read as the end of the previous cell. */
const FORMULA = /^(?=\s*[;=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])(?=[=+\-@＝＋－＠])/gu;

/** The text with an apostrophe before each of them (OWASP, CSV Injection). */
export function escapeFormula(text: string): string {
  return text.replace(FORMULA, "'");
}
