import type { Cell, CellValue, WriteSheet } from "hucre/xlsx";
import { writeXlsx } from "hucre/xlsx";
import type { Cover, Sheet, SheetColumn } from "../wire/contract.ts";
import { escapeFormula } from "../wire/csv-injection.ts";
import { decimalsOf } from "../wire/currencies.ts";

/**
 * OOXML decodes `_x0041_` to the character A, so an underscore that starts such text must be
 * escaped.
 */
const ESCAPE = /_(?=x[0-9a-f]{4}_)/gi;

/** A row of an export, by field; `kind` says which sheet it is on. */
export type Item = Record<string, unknown>;

/** The number of digits that a spreadsheet's number holds exactly. */
const DIGITS_MAX = 15;
/** The decimals of most currencies. Cells of other currencies have their own number format. */
const DECIMALS = 2;

const FORMATS: Partial<Record<NonNullable<SheetColumn["as"]>, string>> = {
  money: moneyFormat(DECIMALS),
  day: "yyyy-mm-dd",
  time: "yyyy-mm-dd hh:mm",
};

/**
 * A workbook (OOXML) with these items on their sheets, each below a frozen header. Amounts are
 * numbers in the currency's main unit (text if they have more than 15 digits), days and times are
 * dates in UTC, and text that looks like a formula is escaped, since the sheet may be saved as CSV.
 */
export function writeSheets(
  sheets: readonly Sheet[],
  items: readonly Item[],
  cover?: Cover,
): Promise<Uint8Array> {
  const byKind = Map.groupBy(items, ({ kind }) => kind);
  const itemsOf = ({ kind }: Sheet) => (kind === undefined ? items : (byKind.get(kind) ?? []));
  const visible = sheets.filter((sheet) => !sheet.optional || itemsOf(sheet).length > 0);
  const written = visible.map((sheet) => sheetOf(sheet, itemsOf(sheet), cover));
  return writeXlsx({ sheets: cover ? [coverOf(cover), ...written] : written });
}

const BOLD = { style: { font: { bold: true } } };
const FACT_NAME_WIDTH = 22;
const FACT_WIDTH = 80;

function coverOf({ name, title, facts }: Cover): WriteSheet {
  return {
    name,
    columns: [{ width: FACT_NAME_WIDTH }, { width: FACT_WIDTH }],
    rows: [[textCell(title)], [], ...facts.map((fact) => fact.map(textCell))],
    cells: new Map([["0,0", BOLD], ...facts.map((_, at) => [`${at + 2},0`, BOLD] as const)]),
  };
}

function sheetOf(
  { name, columns }: Sheet,
  items: readonly Item[],
  cover: Cover | undefined,
): WriteSheet {
  return {
    name,
    columns: columns.map(({ width, as }) => ({ width, numFmt: as && FORMATS[as] })),
    rows: [
      columns.map((column) => column.name),
      ...items.map((item) => columns.map((column) => cellOf(item, column, cover))),
    ],
    cells: new Map([...headerCells(columns), ...moneyCells(columns, items)]),
    freezePane: { rows: 1 },
  };
}

function cellOf(item: Item, { field, as }: SheetColumn, cover: Cover | undefined): CellValue {
  const value = item[field] as string | number | null | undefined;
  if (value === null || value === undefined) return null;
  if (as === "money") return amountOf(value, decimalsIn(item));
  if (as === "day" || as === "time") return new Date(value);
  if (typeof value === "number") return value;
  return textCell(textIn(value, as, cover));
}

function textCell(text: string): string {
  return escapeFormula(text).replace(ESCAPE, "_x005F_");
}

function textIn(value: string, as: SheetColumn["as"], cover: Cover | undefined): string {
  if (as === "side" && (value === "left" || value === "right"))
    return cover?.sides[value] ?? sentenceCase(value);
  if (as === "word") return sentenceCase(value);
  if (as === "actor") return actorName(value);
  return as === "method" && value === "manual" ? "By hand" : value;
}

/** `user:ada` → ada, `api_key:key_1` → API key key_1. */
function actorName(actor: string): string {
  return actor.replace(/^user:/, "").replace(/^api_key:/, "API key ");
}

/** `minor` is an integer in minor units, passed as text if no double holds it. */
function amountOf(minor: string | number, decimals: number): CellValue {
  const [, sign = "", digits = ""] = /^(-?)(\d+)$/.exec(`${minor}`) ?? [];
  if (digits.length <= DIGITS_MAX) return Number(minor) / 10 ** decimals;
  const point = digits.length - decimals;
  return `${sign}${digits.slice(0, point)}${decimals > 0 ? "." : ""}${digits.slice(point)}`;
}

function sentenceCase(value: string): string {
  const words = value.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function headerCells(columns: readonly SheetColumn[]): [string, Partial<Cell>][] {
  return columns.map((_, at) => [`0,${at}`, BOLD]);
}

function moneyCells(
  columns: readonly SheetColumn[],
  items: readonly Item[],
): [string, Partial<Cell>][] {
  const at = columns.findIndex(({ as }) => as === "money");
  return items.flatMap((item, row): [string, Partial<Cell>][] => {
    const decimals = decimalsIn(item);
    return at < 0 || decimals === DECIMALS
      ? []
      : [[`${row + 1},${at}`, { style: { numFmt: moneyFormat(decimals) } }]];
  });
}

function decimalsIn({ currency }: Item): number {
  return decimalsOf(`${currency}`) ?? DECIMALS;
}

function moneyFormat(decimals: number): string {
  return decimals === 0 ? "#,##0" : `#,##0.${"0".repeat(decimals)}`;
}
