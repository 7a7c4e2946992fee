import { StringDecoder } from "node:string_decoder";
import { xmlEvents } from "../camt/xml-events.ts";
import { MAX_COLUMNS } from "../csv/table-records.ts";
import { refuseFile } from "../refusal.ts";
import {
  type CellKind,
  cellText,
  hasResult,
  type RawCell,
  type SheetContext,
} from "./sheet-values.ts";

/** The maximum number of rows of a sheet. */
export const MAX_SHEET_ROWS = 1_048_576;

/** A row with its number in the sheet, from 1. */
export type SheetRow = { number: number; cells: string[]; kinds: CellKind[]; isHidden: boolean };

/**
 * Yields the rows of a worksheet's XML as it arrives.
 * @throws FileRefused for XML that is not a sheet, or a sheet with too many rows or columns
 */
export async function* sheetRows(
  xml: AsyncIterable<Buffer>,
  context: SheetContext,
): AsyncGenerator<SheetRow[], void> {
  let rows: SheetRow[] = [];
  let row: SheetRow | undefined;
  let number = 0;
  let column = 0;
  let cell: RawCell | undefined;
  let depth = 0;
  let isValue = false;
  let isFormula = false;
  /**
   * Whether the next t belongs to an rPh, the pronunciation of a word, and so isn't part of the
   * text.
   */
  let isPhonetic = false;

  const reader = xmlEvents({
    open({ local, attributes }) {
      depth++;
      if (local === "row") {
        number = Number(attributes.r?.value ?? number + 1);
        if (!(number >= 1 && number <= MAX_SHEET_ROWS))
          throw tooLarge(number, "rows", MAX_SHEET_ROWS);
        const isHidden = /^(?:1|true)$/.test(attributes.hidden?.value ?? "");
        row = { number, cells: [], kinds: [], isHidden };
        column = 0;
      } else if (local === "c" && row) {
        const letters = /^[A-Z]{1,3}/.exec(attributes.r?.value ?? "")?.[0];
        if (letters !== undefined) column = columnOf(letters);
        if (column >= MAX_COLUMNS) throw tooLarge(number, "columns", MAX_COLUMNS);
        cell = {
          type: attributes.t?.value ?? "n",
          style: Number(attributes.s?.value ?? -1),
          value: "",
        };
      } else if (local === "rPh") isPhonetic = true;
      else if (local === "f" && cell) {
        cell.formula = "";
        isFormula = true;
      } else if (local === "v" || local === "t") {
        isValue = cell !== undefined && !isPhonetic;
        isPhonetic = false;
      }
    },
    text(text) {
      if (isValue && cell) cell.value += text;
      else if (isFormula && cell) cell.formula += text;
    },
    close() {
      depth--;
      // Only v, or the t of an inline text, holds the value of a cell.
      if (isValue) isValue = false;
      else if (isFormula) isFormula = false;
      else if (cell && depth === CELL_DEPTH) {
        const { text, kind } = cellText(cell, context);
        if (row) {
          while (row.cells.length < column) {
            row.cells.push("");
            row.kinds.push("text");
          }
          row.cells[column] = text;
          row.kinds[column] = kind;
        }
        column++;
        cell = undefined;
      } else if (row && depth === ROW_DEPTH) {
        rows.push(row);
        row = undefined;
      }
    },
    end() {},
  });
  const decoder = new StringDecoder("utf8");
  for await (const chunk of xml) {
    reader.read(decoder.write(chunk));
    if (rows.length > 0) yield rows;
    rows = [];
  }
  reader.end();
  if (rows.length > 0) yield rows;
}

/** Yields, as a worksheet's XML arrives, whether one of its formulas so far has a stored result. */
export async function* formulaResults(xml: AsyncIterable<Buffer>): AsyncGenerator<boolean, void> {
  let isFormulaCell = false;
  let isValue = false;
  let value = "";
  let isFound = false;
  const reader = xmlEvents({
    open({ local }) {
      if (local === "c") isFormulaCell = false;
      else if (local === "f") isFormulaCell = true;
      isValue = local === "v" && isFormulaCell;
      value = "";
    },
    text(text) {
      if (isValue) value += text;
    },
    close() {
      isFound ||= isValue && hasResult(value.trim(), true);
      isValue = false;
    },
    end() {},
  });
  const decoder = new StringDecoder("utf8");
  for await (const chunk of xml) {
    reader.read(decoder.write(chunk));
    yield isFound;
  }
}

/** worksheet > sheetData > row > c */
const ROW_DEPTH = 2;
const CELL_DEPTH = 3;

function columnOf(letters: string): number {
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

function tooLarge(line: number, what: string, max: number): Error {
  return refuseFile({ line }, null, `The sheet has too many ${what}.`, "", `at most ${max}`);
}
