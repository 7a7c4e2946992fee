import { type Described, describeCsv, type Question } from "./formats/csv/csv-mapping.ts";
import { tableEncoding } from "./formats/csv/table-encoding.ts";
import { decoderOf } from "./formats/encoding.ts";
import { describeSheet, type SheetTable, sheetTable } from "./formats/files/workbook.ts";
import type { Mapping } from "./formats/mapping.ts";
import { HEAD_BYTES } from "./formats/reader.ts";
import { FileRefused, refuseFile } from "./formats/refusal.ts";
import { type OpenedFile, refusedFile } from "./opened-file.ts";

type OpenedParts = Pick<OpenedFile, "detection" | "head" | "workbook">;

export type SettledMapping = {
  mapping: Mapping | null;
  /**
   * A question that neither the mapping nor the file answers. One is asked at a time, because an
   * answer may settle others.
   */
  questions: Question[];
  csv: Described["csv"] | null;
};

/**
 * Completes the mapping of a file with columns: settings that the given mapping lacks are inferred
 * from the file's head. Chooses the sheet of a workbook.
 * @throws ApiError `invalid_request` for a workbook without a table
 */
export async function settleMapping(
  { detection, head, workbook }: OpenedParts,
  given: Mapping | null,
  currency: string,
): Promise<SettledMapping> {
  if (workbook) return settleWorkbook(workbook, given, currency);
  if (!detection?.csv) return { mapping: given, questions: [], csv: null };
  const { csv } = detection;
  // Only workbooks have sheets.
  const { sheet: _, ...settings } = given ?? { fields: {} };
  const delimiter = settings.delimiter ?? csv.delimiter;
  const { encoding: detected } = detection;
  const encoding =
    settings.encoding ??
    tableEncoding(head.bytes.subarray(0, HEAD_BYTES), detected, delimiter, currency);
  const known = { mapping: given ? settings : undefined, currency, isWhole: head.isWhole };
  const described = describeCsv(decoderOf(encoding).decode(head.bytes), delimiter, known);
  if (!described) return { mapping: { ...csv.mapping, ...settings }, questions: [], csv };
  const { csv: found, questions } = described;
  const mapping = encoding === detected ? found.mapping : { ...found.mapping, encoding };
  return { mapping, questions: questions.slice(0, 1), csv: found };
}

async function settleWorkbook(
  { sheets, choose }: NonNullable<OpenedFile["workbook"]>,
  given: Mapping | null,
  currency: string,
): Promise<SettledMapping> {
  // A quote character doesn't apply, because sheets are split into cells already.
  const { quote: _, sheet: sheetName, ...settings } = given ?? { fields: {} };
  // If no sheet has that name, all are searched: the source's next workbook may name its sheet
  // differently.
  const chosen = sheets.filter(({ name }) => name === sheetName);
  const known = {
    mapping: { ...settings, delimiter: ",", encoding: "utf-8" } as Mapping,
    currency,
  };
  const tables: { name: string; found: SheetTable }[] = [];
  try {
    for (const sheet of chosen.length > 0 ? chosen : sheets) {
      const found = await sheetTable(sheet, known);
      if (found) tables.push({ name: sheet.name, found });
    }
    // A sheet without rows, such as an empty month, has nothing to import.
    const filled = tables.filter(({ found }) => found.table.rows.length > 0);
    const candidates = filled.length > 0 ? filled : tables;
    const [first, ...others] = candidates;
    if (!first) throw noTable(sheets);
    if (others.length > 0) return askSheet(candidates, known.mapping);
    choose(first.name);
    const { csv, questions } = describeSheet(first.found, known);
    const mapping = { ...csv.mapping, sheet: first.name };
    return { mapping, questions: questions.slice(0, 1), csv };
  } catch (error) {
    throw error instanceof FileRefused ? refusedFile(error) : error;
  }
}

function askSheet(tables: { name: string; found: SheetTable }[], mapping: Mapping): SettledMapping {
  const question: Question = {
    about: "sheet",
    message: "Several sheets have a table. Which one is to be imported?",
    example: null,
    choices: tables.map(({ name, found: { table } }) => {
      const names = table.columns.map((column) => column.name).join(", ");
      const rows = table.rows.length === 1 ? "1 row" : `${table.rows.length} rows`;
      return { value: name, reads_as: `${rows}: ${names}`.slice(0, 200) };
    }),
  };
  return { mapping, questions: [question], csv: null };
}

function noTable(sheets: readonly { name: string }[]): Error {
  return refuseFile(
    { line: 1 },
    null,
    "No sheet has a table of dates and amounts.",
    sheets.map(({ name }) => name).join(", "),
    "a sheet with a header row and rows below it",
  );
}
