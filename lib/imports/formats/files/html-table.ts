import { fromHtml } from "hucre";
import type { Workbook } from "./workbook.ts";

export const HTML_MAX_BYTES = 16 * 1024 * 1024;

/** Whether a file begins like a web page with a table: many programs name one .xls. */
export function mayBeHtmlTable(head: string): boolean {
  return /^\s*<(?:!doctype html|html|head|meta|table|\?xml[^>]*>\s*<(?:html|table))[\s>]/i.test(
    head,
  );
}

/** The table of a web page, as a workbook with one sheet. */
export function htmlWorkbook(text: string): Workbook {
  const { rows } = fromHtml(text, { typeInference: false, classes: false });
  return {
    sheets: [
      {
        name: "Table",
        rows: async function* () {
          yield rows.map((cells, at) => ({
            number: at + 1,
            cells: cells.map((cell) => (cell === null ? "" : String(cell))),
            numbers: cells.map(() => false),
          }));
        },
      },
    ],
  };
}
