import { StringDecoder } from "node:string_decoder";
import type { Entry } from "yauzl";
import { xmlEvents } from "../camt/xml-events.ts";
import { type Described, describeTable, type Known } from "../csv/csv-mapping.ts";
import { type Table, tableOfRows } from "../csv/csv-table.ts";
import { hiddenRowsRecord } from "../csv/hidden-rows.ts";
import { refuseFile } from "../refusal.ts";
import { labelOf } from "../words/balance-labels.ts";
import { formulaResults, type SheetRow, sheetRows } from "./sheet-rows.ts";
import { type CellKind, type SheetContext, stylesOf } from "./sheet-values.ts";
import { SwappedDays } from "./swapped-days.ts";
import { readEntry, type Zip } from "./zip.ts";

/** A workbook is in memory while it is read; a larger sheet should be saved as CSV. */
export const WORKBOOK_MAX_BYTES = 32 * 1024 * 1024;
const STRINGS_MAX_BYTES = 64 * 1024 * 1024;
const PART_MAX_BYTES = 8 * 1024 * 1024;
const SHEET_MAX_BYTES = 512 * 1024 * 1024;
const MAX_SHEETS = 100;
const SAMPLE_ROWS = 5_000;

export type Sheet = {
  name: string;
  rows: () => AsyncIterable<SheetRow[]>;
};

/** The content of an .xlsx file, or of a table that is named .xls. */
export type Workbook = { sheets: Sheet[] };

/** @throws FileRefused for an archive that is not a workbook */
export async function openWorkbook(zip: Zip): Promise<Workbook> {
  const relations = new Map<string, { target: string; type: string }>();
  await eachElement(zip, "xl/_rels/workbook.xml.rels", PART_MAX_BYTES, (name, attributes) => {
    if (name !== "Relationship") return;
    const { Id = "", Target = "", Type = "" } = attributes;
    const target = Target.startsWith("/") ? Target.slice(1) : `xl/${Target.replace(/^\.\//, "")}`;
    relations.set(Id, { target, type: Type.split("/").at(-1) ?? "" });
  });
  const named: { name: string; target: string }[] = [];
  let is1904 = false;
  let isComputedOnLoad = false;
  await eachElement(zip, "xl/workbook.xml", PART_MAX_BYTES, (name, attributes) => {
    if (name === "workbookPr") is1904 = /^(?:1|true)$/.test(attributes.date1904 ?? "");
    if (name === "calcPr") isComputedOnLoad = /^(?:1|true)$/.test(attributes.fullCalcOnLoad ?? "");
    // Hidden sheets are internal to programs.
    if (name !== "sheet" || (attributes.state ?? "visible") !== "visible") return;
    const relation = relations.get(attributes.id ?? "");
    if (relation?.type === "worksheet")
      named.push({ name: attributes.name ?? "", target: relation.target });
  });
  const part = (type: string, usual: string) =>
    [...relations.values()].find((one) => one.type === type)?.target ?? usual;
  const sheets = named.slice(0, MAX_SHEETS).flatMap(({ name, target }) => {
    const entry = zip.entries.get(target);
    return entry ? { name, entry } : [];
  });
  const context: SheetContext = {
    strings: await stringsOf(zip, part("sharedStrings", "xl/sharedStrings.xml")),
    styles: await cellStyles(zip, part("styles", "xl/styles.xml")),
    is1904,
    isUncomputed: isComputedOnLoad && !(await hasResults(zip, sheets)),
  };
  return {
    sheets: sheets.map(({ name, entry }) => ({
      name,
      rows: () => sheetRows(readEntry(zip, entry, SHEET_MAX_BYTES), context),
    })),
  };
}

/**
 * Whether any formula has a stored result. A program stores the results of all formulas or of none.
 */
async function hasResults(zip: Zip, sheets: readonly { entry: Entry }[]): Promise<boolean> {
  for (const { entry } of sheets) {
    const xml = readEntry(zip, entry, SHEET_MAX_BYTES);
    for await (const hasResult of formulaResults(xml)) if (hasResult) return true;
  }
  return false;
}

async function eachElement(
  zip: Zip,
  path: string,
  maxBytes: number,
  onOpen: (name: string, attributes: Record<string, string>) => void,
  onText: (text: string) => void = () => {},
  onClose: () => void = () => {},
): Promise<void> {
  const entry = zip.entries.get(path);
  if (!entry) return;
  const reader = xmlEvents({
    open: ({ local, attributes }) =>
      onOpen(
        local,
        Object.fromEntries(
          Object.values(attributes).map((one) => [one.local || one.name, one.value]),
        ),
      ),
    text: onText,
    close: onClose,
    end: () => {},
  });
  const decoder = new StringDecoder("utf8");
  for await (const chunk of readEntry(zip, entry, maxBytes)) reader.read(decoder.write(chunk));
  reader.end();
}

async function stringsOf(zip: Zip, path: string): Promise<string[]> {
  const strings: string[] = [];
  let isText = false;
  /**
   * Whether the next t belongs to an rPh, the pronunciation of a word, and so isn't part of the
   * text.
   */
  let isPhonetic = false;
  await eachElement(
    zip,
    path,
    STRINGS_MAX_BYTES,
    (name) => {
      if (name === "si") strings.push("");
      if (name === "rPh") isPhonetic = true;
      isText = name === "t" && !isPhonetic;
      if (name === "t") isPhonetic = false;
    },
    (text) => {
      if (isText && strings.length > 0) strings[strings.length - 1] += text;
    },
    () => {
      isText = false;
    },
  );
  return strings;
}

async function cellStyles(zip: Zip, path: string): Promise<SheetContext["styles"]> {
  const custom = new Map<string, string>();
  const ids: string[] = [];
  let isCellFormat = false;
  await eachElement(zip, path, PART_MAX_BYTES, (name, attributes) => {
    if (name === "numFmt") custom.set(attributes.numFmtId ?? "", attributes.formatCode ?? "");
    else if (name === "cellXfs") isCellFormat = true;
    else if (name === "xf" && isCellFormat) ids.push(attributes.numFmtId ?? "0");
    else if (name === "cellStyles" || name === "dxfs") isCellFormat = false;
  });
  return stylesOf(ids, custom);
}

/** A sheet's first rows as a table; null if it has none. */
export async function sheetTable(sheet: Sheet, known: Known): Promise<SheetTable | null> {
  const rows: { cells: string[]; line: number }[] = [];
  const kindsOf = new Map<number, CellKind[]>();
  let hasAmbiguousText = false;
  for await (const batch of sheet.rows()) {
    for (const { cells, number, kinds } of batch) {
      if (cells.every((cell) => cell.trim() === "")) continue;
      rows.push({ cells, line: number });
      kindsOf.set(number, kinds);
      hasAmbiguousText ||= cells.some(
        (cell, at) => kinds[at] !== "number" && /\d[.,]\d{3}$/.test(cell),
      );
    }
    if (rows.length >= SAMPLE_ROWS) break;
  }
  const required = Object.values(known.mapping?.fields ?? {});
  const table = tableOfRows(rows, known.hasHeader ?? known.mapping?.header_row, required);
  if (!table) return null;
  const days = new SwappedDays();
  // Rows with a label are ignored: programs write the day of printing, or that of a balance, as
  // text.
  for (const { cells, line } of table.rows)
    if (!cells.some((cell) => labelOf(cell))) days.add(cells, kindsOf.get(line) ?? []);
  return { table, isTyped: !hasAmbiguousText, days };
}

export type SheetTable = { table: Table; isTyped: boolean; days: SwappedDays };

/** @throws FileRefused if a spreadsheet program swapped day and month in some dates */
export function describeSheet({ table, isTyped, days }: SheetTable, known: Known): Described {
  const described = describeTable(table, { delimiter: "," }, { ...known, isTyped });
  const { value_date, booked_date } = described.csv.mapping.fields;
  for (const { name, at } of table.columns)
    if (name === value_date || name === booked_date) days.check(name, at);
  return described;
}

/**
 * A sheet as CSV, with one line for each row, so that row numbers don't change, and a record of the
 * hidden rows at the end.
 */
export async function* sheetCsv(sheet: Sheet): AsyncGenerator<Uint8Array, void> {
  let written = 0;
  const hidden: number[] = [];
  for await (const batch of sheet.rows()) {
    let text = "";
    for (const { number, cells, isHidden } of batch) {
      if (number <= written)
        throw refuseFile(
          { line: number },
          null,
          "The sheet's rows are not in order.",
          "",
          "rows in order",
        );
      text += "\n".repeat(number - written - 1);
      text += `${cells.map(quote).join(",")}\n`;
      written = number;
      if (isHidden && cells.some((cell) => cell.trim() !== "")) hidden.push(number);
    }
    yield Buffer.from(text);
  }
  yield Buffer.from(hiddenRowsRecord(hidden));
}

function quote(cell: string): string {
  const line = cell.replace(/\s*[\r\n]+\s*/g, " ");
  return /[",]|^\s|\s$/.test(line) ? `"${line.replaceAll('"', '""')}"` : line;
}
