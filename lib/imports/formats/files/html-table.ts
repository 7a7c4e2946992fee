import { fromHtml } from "hucre";
import { type BookingState, headingStateOf, saysNoRows } from "../words/booking-states.ts";
import type { Workbook } from "./workbook.ts";

export const HTML_MAX_BYTES = 16 * 1024 * 1024;

/** Whether a file begins like a web page with a table, which many programs save as .xls. */
export function mayBeHtmlTable(head: string): boolean {
  return /^\s*<(?:!doctype html|html|head|meta|table|\?xml[^>]*>\s*<(?:html|table))[\s>]/i.test(
    head,
  );
}

/** The table of a web page, as a workbook with one sheet. */
export function htmlWorkbook(text: string): Workbook {
  const { rows } = fromHtml(withHeadingRows(text), { typeInference: false, classes: false });
  return {
    sheets: [
      {
        name: "Table",
        rows: async function* () {
          yield rows.map((cells, at) => ({
            number: at + 1,
            cells: cells.map((cell) => (cell === null ? "" : String(cell))),
            kinds: cells.map(() => "text" as const),
            isHidden: false,
          }));
        },
      },
    ],
  };
}

/** A heading is at most this many characters before its table. */
const HEADING_MAX_DISTANCE = 2_000;
const HEADING_MAX_LENGTH = 80;
/**
 * Elements that aren't displayed, or list choices that apply to other rows. Without an end tag,
 * they contain the rest.
 */
const HIDDEN =
  /<!--(?:(?!-->)[\s\S])*(?:-->|$)|<(script|style|xml|select|button|label|nav)\b(?:(?!<\/\1)[\s\S])*(?:<\/\1\s*>|$)/gi;
const LINK = /<a\s[^<>]{0,300}href(?:(?!<\/a)[\s\S])*(?:<\/a\s*>|$)/gi;
const HEADING = /^<h[1-6]\b[^>]*>(?:(?!<\/h)[\s\S])*/i;
const CAPTION = /^<table[^>]{0,500}>\s{0,200}<caption\b[^>]{0,200}>([\s\S]{0,200}?)<\/caption>/i;
const MONEY = /\d[.,]\d{2}(?!\d)/;

/**
 * Adds the booking state in the heading of a table, such as "Pending", as a row before it, because
 * only the rows of tables are read.
 */
function withHeadingRows(html: string): string {
  const parts = html.split(/(?=<table[\s>])/i);
  let openTables = 0;
  let isBooked = true;
  return parts
    .map((part, nth) => {
      const isNested = openTables > 0;
      openTables += (nth > 0 ? 1 : 0) - (part.split(/<\/table/i).length - 1);
      if (nth === 0 || isNested) return part;
      const texts = headingTexts((parts[nth - 1] ?? "").slice(-HEADING_MAX_DISTANCE));
      const [, caption] = CAPTION.exec(part) ?? [];
      const state = stateOf(caption ? [...texts, plainText(caption)] : texts);
      const isUnchanged = state === "booked" && isBooked;
      isBooked = state === "booked";
      return isUnchanged ? part : `<table><tr><td>${state}</td></tr></table>${part}`;
    })
    .join("");
}

/** The texts between the previous table and this one, from the last heading on. */
function headingTexts(before: string): string[] {
  const end = before.toLowerCase().lastIndexOf("</table");
  const shown = before.slice(Math.max(0, end)).replace(HIDDEN, "");
  const [within = "", ...headed] = shown.split(/(?=<h[1-6][\s>])/i);
  const last = headed.at(-1);
  const [heading = ""] = HEADING.exec(last ?? "") ?? [];
  const below = (last ?? within).slice(heading.length).replace(LINK, "");
  return [plainText(heading), ...below.split(/<[^<>]*>/).map(plainText)].filter(
    (text) => text !== "" && text.length <= HEADING_MAX_LENGTH,
  );
}

function plainText(html: string): string {
  return html
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * The booking state in the text nearest to the table. Labels of amounts and legends of marks don't
 * count.
 */
function stateOf(texts: readonly string[]): BookingState {
  for (let at = texts.length - 1; at >= 0; at--) {
    const text = texts[at] ?? "";
    if (saysNoRows(text)) return "booked";
    if (MONEY.test(text) || MONEY.test(texts[at + 1] ?? "") || /^[*(]/.test(text)) continue;
    const state = headingStateOf(text);
    if (state) return state;
  }
  return "booked";
}
