import { currenciesOf } from "../../../wire/amount-marks.ts";
import { decimalsOf } from "../../../wire/currencies.ts";
import type { Delimiter, Mapping } from "../mapping.ts";
import { bookingStateOf } from "../words/booking-states.ts";
import { directionOf } from "../words/directions.ts";
import { uniqueNames } from "./csv.ts";
import {
  dateFormatsOf,
  isPlaceholder,
  looksLikeAmount,
  looksLikeDate,
  type Row,
  rowsOf,
} from "./csv-layout.ts";
import { beginsTotal, statedBalance } from "./csv-stated-balances.ts";
import { fieldsForName } from "./csv-words.ts";

const MAX_HEADER_ROWS = 50;
/** The number of cells that decide a column's kind. */
const MAX_SAMPLED_CELLS = 500;

export type ColumnKind = "date" | "amount" | "currency" | "sign" | "text" | "empty";

/** `all`: one cell for each of the table's rows; `cells`: those that aren't empty. */
export type Column = { name: string; at: number; kind: ColumnKind; all: string[]; cells: string[] };

/** A table as the head of a file shows it. */
export type Table = {
  hasHeader: boolean;
  headerLine: number | null;
  columns: Column[];
  /** The rows above the header. */
  preamble: Row[];
  /** Rows that may be lines, without totals and repeated headers. */
  rows: Row[];
};

/** Null if it is not a table. `required`: columns that the header must have. */
export function tableOf(
  head: string,
  delimiter: Delimiter,
  quote: Mapping["quote"],
  hasHeader: boolean | undefined,
  required: readonly string[],
  isWhole: boolean,
): Table | null {
  return tableOfRows(rowsOf(head, delimiter, quote, isWhole), hasHeader, required);
}

export function tableOfRows(
  rows: Row[],
  hasHeader: boolean | undefined,
  required: readonly string[],
): Table | null {
  const found = hasHeader === false ? -1 : headerOf(rows, required);
  const headerAt = hasHeader ? Math.max(0, found) : found;
  const header = headerAt >= 0 ? rows[headerAt] : undefined;
  const below = rows.slice(headerAt + 1).filter(({ cells }) => cells.length > 1);
  const headerWidth = header?.cells.length ?? 0;
  const width = below.reduce((max, { cells }) => Math.max(max, cells.length), headerWidth);
  if (width < 2 || !isTable(below, header)) return null;
  const names = header
    ? uniqueNames(header.cells)
    : Array.from({ length: width }, (_, at) => String(at + 1));
  const lines = below.filter((row) => !isSkippedRow(row, header?.cells));
  return {
    hasHeader: header !== undefined,
    headerLine: header?.line ?? null,
    preamble: rows.slice(0, Math.max(0, headerAt)),
    rows: lines,
    columns: names.map((name, at) => {
      const all = lines.map((row) => (row.cells[at] ?? "").trim());
      const cells = all.filter((cell) => cell !== "");
      return { name, at, kind: kindOf(cells), all, cells };
    }),
  };
}

/** Whether a row is a total, a balance or a repeated header, which the reader skips. */
function isSkippedRow({ cells }: Row, header: readonly string[] | undefined): boolean {
  const first = cells.find((cell) => cell.trim() !== "")?.trim() ?? "";
  if (header?.every((name, at) => name === (cells[at] ?? ""))) return true;
  if (!beginsTotal(first) && !statedBalance(cells)) return false;
  return !cells.some((cell) => looksLikeDate(cell.trim()) && !/^[\d.,]{1,9}$/.test(cell.trim()));
}

/**
 * Whether at least half of the rows have a date or an amount, because the text of a letter has
 * commas, too.
 */
function isTable(table: Row[], header: Row | undefined): boolean {
  const sample = table.slice(0, MAX_SAMPLED_CELLS);
  const withValues = sample.filter(({ cells }) =>
    cells.some((cell) => looksLikeDate(cell.trim()) || looksLikeAmount(cell.trim())),
  );
  if (withValues.length > 0) return withValues.length >= sample.length / 2;
  return header !== undefined && (sample.length > 0 || knownNameCount(header.cells) >= 2);
}

function knownNameCount(cells: readonly string[]): number {
  return cells.filter((cell) => fieldsForName(cell).length > 0).length;
}

/**
 * The header: the first row with all required columns; otherwise with known names and no date;
 * otherwise a row of texts above rows with dates. -1 without a header.
 */
function headerOf(rows: Row[], required: readonly string[]): number {
  const first = rows.slice(0, MAX_HEADER_ROWS);
  if (required.length > 0) {
    const headerAt = first.findIndex(({ cells }) => {
      const names = uniqueNames(cells);
      return required.every((name) => names.includes(name));
    });
    if (headerAt >= 0) return headerAt;
  }
  const hasData = (cells: string[]) => cells.some((cell) => looksLikeDate(cell.trim()));
  const known = first.findIndex(({ cells }) => !hasData(cells) && knownNameCount(cells) >= 2);
  if (known >= 0) return known;
  const data = first.findIndex(({ cells }) => hasData(cells) && cells.length > 1);
  const above = first[data - 1];
  const isHeader =
    above &&
    above.cells.length >= (first[data]?.cells.length ?? 0) - 1 &&
    above.cells.every((cell) => !looksLikeAmount(cell.trim()));
  return isHeader ? data - 1 : -1;
}

/** The kind of most cells, because columns also contain totals, errors and dashes. */
function kindOf(all: string[]): ColumnKind {
  const sample = all.slice(0, MAX_SAMPLED_CELLS);
  const filled = sample.filter((cell) => !isPlaceholder(cell));
  const cells = filled.some(looksLikeAmount) ? filled : sample;
  if (cells.length === 0) return "empty";
  const isMostly = (test: (cell: string) => boolean) =>
    cells.filter(test).length >= cells.length * 0.7;
  if (isMostly(isCurrency)) return "currency";
  if (isMostly((cell) => directionOf(cell) !== undefined)) return "sign";
  const days = cells.filter(looksLikeDate).length;
  // "Pending" may stand for a date that will follow.
  if (days > 0 && days >= 0.7 * cells.filter((cell) => bookingStateOf(cell) === undefined).length)
    return "date";
  return isMostly(looksLikeAmount) ? "amount" : "text";
}

function isCurrency(cell: string): boolean {
  const code = cell.toUpperCase();
  if (decimalsOf(code) !== undefined) return true;
  return cell.length <= 4 && !/^[a-z]{2}\.?$/i.test(cell) && currenciesOf(cell) !== null;
}

/** Formats in which all of these cells can be read; each cell is tried once. */
export function commonDateFormats(cells: readonly string[]): ReturnType<typeof dateFormatsOf> {
  let formats: ReturnType<typeof dateFormatsOf> | undefined;
  for (const cell of new Set(cells)) {
    const readable = dateFormatsOf(cell);
    // A cell that is not a date in any format, such as 31 February, says nothing about the others.
    if (readable.length === 0) continue;
    formats = formats?.filter((format) => readable.includes(format)) ?? readable;
    if (formats.length === 0) break;
  }
  return formats ?? [];
}
