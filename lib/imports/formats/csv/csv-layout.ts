import { amountMarks } from "../../../wire/amount-marks.ts";
import { dateReader, normalizeDate } from "../dates.ts";
import {
  DATE_FORMATS,
  type DateFormat,
  DELIMITERS,
  type Delimiter,
  type Mapping,
} from "../mapping.ts";
import { tableRecords } from "./table-records.ts";

/** The maximum number of rows that describe a table. */
const MAX_ROWS = 20_000;
/** The maximum number of rows and characters by which a delimiter is detected. */
const MAX_SCORED_ROWS = 25;
const MAX_SCORED_LENGTH = 16_384;

export type Row = { cells: string[]; line: number };

/** The formats that are detected. Unix times are not, because they look like other numbers. */
const WRITTEN_FORMATS = DATE_FORMATS.filter((format) => !format.startsWith("unix"));
const READERS = WRITTEN_FORMATS.map((format) => ({
  format,
  mark: /[^YMD]/.exec(format)?.[0] ?? "",
  read: dateReader(format, "UTC"),
}));

/**
 * The maximum length of a text that is tried as a date or an amount, because a long cell of blanks
 * would take quadratic time.
 */
const VALUE_MAX_LENGTH = 40;

/** The formats in which a text can be read as a date. */
export function dateFormatsOf(text: string): DateFormat[] {
  if (text.length > VALUE_MAX_LENGTH || !/^(?:\d|\p{L}{2}).*\d/u.test(text)) return [];
  const bare = normalizeDate(text);
  return READERS.filter(({ mark, read }) => bare.includes(mark) && read(text) !== null).map(
    ({ format }) => format,
  );
}

export function looksLikeDate(text: string): boolean {
  return dateFormatsOf(text).length > 0;
}

const DIGITS = /^[\d.,'’\u00A0\u00B4\u2007\u2009\u202F ]+$/;

/** Digits with separators and signs, with at most a currency around them. */
export function looksLikeAmount(text: string): boolean {
  if (text.length > VALUE_MAX_LENGTH) return false;
  const marks = amountMarks(text);
  return marks !== undefined && DIGITS.test(marks.body);
}

const PLACEHOLDER_MAX_LENGTH = 6;

/** Dashes or a word such as "n/a" in place of an amount. */
export function isPlaceholder(cell: string): boolean {
  if (cell.length > PLACEHOLDER_MAX_LENGTH || isDigit(cell.charCodeAt(cell.length - 1)))
    return false;
  return /^(?:[-\u2013\u2014]{1,2}|n\/?a|null|\(null\)|nil)$/i.test(cell);
}

/**
 * The delimiter by which most rows have a date, an amount and the same number of cells; `sep=;` in
 * the first line states it.
 */
export function delimiterOf(head: string): Delimiter {
  const separator = /^sep=(.)\r?\n/i.exec(head)?.[1];
  const named = DELIMITERS.find((delimiter) => delimiter === separator);
  if (named) return named;
  let best: { delimiter: Delimiter; score: number } = { delimiter: ",", score: 0 };
  for (const delimiter of DELIMITERS) {
    const score = scoreOf(headRows(head, delimiter));
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

function headRows(head: string, delimiter: Delimiter): Row[] {
  const isWhole = head.length < MAX_SCORED_LENGTH;
  return rowsOf(head.slice(0, MAX_SCORED_LENGTH), delimiter, undefined, isWhole).slice(
    0,
    MAX_SCORED_ROWS,
  );
}

function scoreOf(rows: Row[]): number {
  const widths = new Map<number, number>();
  let withBoth = 0;
  for (const { cells } of rows) {
    if (cells.length < 2) continue;
    widths.set(cells.length, (widths.get(cells.length) ?? 0) + 1);
    const texts = cells.map((cell) => cell.trim());
    if (
      texts.some(looksLikeDate) &&
      texts.some((text) => looksLikeAmount(text) && !looksLikeDate(text))
    )
      withBoth++;
  }
  const [width = 0, count = 0] =
    [...widths].sort((left, right) => right[1] - left[1] || right[0] - left[0])[0] ?? [];
  if (width < 2) return 0;
  return (4 * withBoth + count) / Math.max(rows.length, 1) + Math.min(width, 50) / 1_000;
}

/**
 * The first rows of a file's head. The last row is left out, because it may be incomplete, unless
 * the head `isWhole`.
 */
export function rowsOf(
  head: string,
  delimiter: Delimiter,
  quote?: Mapping["quote"],
  isWhole = false,
): Row[] {
  const rows: Row[] = [];
  const records = tableRecords(delimiter, quote, (cells, line) => {
    if (rows.length < MAX_ROWS) rows.push({ cells, line });
  });
  try {
    records.write(head);
    if (isWhole) records.end();
  } catch {
    // The rows before the error still show the layout.
  }
  return rows.filter(({ cells }) => cells.some((cell) => cell.trim() !== ""));
}

/** `'` if it encloses cells and `"` encloses none. */
export function quoteOf(head: string, delimiter: Delimiter): Mapping["quote"] {
  const mark =
    delimiter === "|" || delimiter === "\t" ? `\\${delimiter === "\t" ? "t" : "|"}` : delimiter;
  const count = (quote: string) =>
    head.match(
      new RegExp(`(?:^|${mark}|\\n)${quote}[^${quote}\\n]*${quote}(?=${mark}|\\r?\\n|$)`, "g"),
    )?.length ?? 0;
  return count('"') === 0 && count("'") > 1 ? "'" : undefined;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
