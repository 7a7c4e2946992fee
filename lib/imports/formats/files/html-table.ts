import { fromHtml } from "hucre";
import { headingStateOf } from "../csv/csv-statuses.ts";
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
  const { rows } = fromHtml(withHeadings(text), { typeInference: false, classes: false });
  return {
    sheets: [
      {
        name: "Table",
        rows: async function* () {
          yield rows.map((cells, at) => ({
            number: at + 1,
            cells: cells.map((cell) => (cell === null ? "" : String(cell))),
            kinds: cells.map(() => "text" as const),
          }));
        },
      },
    ],
  };
}

/** Only what stands shortly before a table is its heading. */
const HEADING_REACH = 2_000;
const HEADING_MAX_LENGTH = 80;

/** A heading before a table, such as "Pending", as a row: only the rows of tables are read. */
function withHeadings(html: string): string {
  const parts = html
    .replace(/<caption\b[^>]{0,200}>([^<]{1,80})<\/caption>/gi, "<tr><td>$1</td></tr>")
    .split(/(?=<table[\s>])/i);
  let openTables = 0;
  return parts
    .map((part, nth) => {
      const isWithin = openTables > 0;
      openTables += (nth > 0 ? 1 : 0) - (part.split(/<\/table/i).length - 1);
      if (nth === 0 || isWithin) return part;
      const heading = headingIn((parts[nth - 1] ?? "").slice(-HEADING_REACH));
      return heading === undefined ? part : `<table><tr><td>${heading}</td></tr></table>${part}`;
    })
    .join("");
}

function headingIn(before: string): string | undefined {
  const end = before.toLowerCase().lastIndexOf("</table");
  const texts = before
    .slice(Math.max(0, end))
    .split(/<[^<>]*>/)
    .map((text) => text.replace(/\s+/g, " ").trim())
    .filter((text) => text !== "" && text.length <= HEADING_MAX_LENGTH && !/[<>{]/.test(text));
  return texts.findLast((text) => headingStateOf(text) !== undefined) ?? texts.at(-1);
}
