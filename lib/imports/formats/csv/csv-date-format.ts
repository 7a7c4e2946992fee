import { dateReader } from "../dates.ts";
import type { DateFormat, Mapping } from "../mapping.ts";
import { cellsOf, columnsOf, DATES } from "./csv-fields.ts";
import type { Question } from "./csv-readings.ts";
import { type Column, commonDateFormats, type Table } from "./csv-table.ts";

const MIN_ORDERED_DAYS = 4;
/** Rare formats, which need the years as evidence. */
const YEAR_FIRST: readonly DateFormat[] = ["YY.MM.DD", "YY/MM/DD"];

/** Sets the format in which all days of a table can be read, or asks if several formats can. */
export function withDates(table: Table, mapping: Mapping, questions: Question[]): Mapping {
  if (mapping.date_format !== undefined) return mapping;
  const cells = cellsOf(table, mapping, DATES, "date");
  let formats = commonDateFormats(cells);
  if (formats.length > 1) {
    // The table's other date columns use the same format.
    const others = table.columns.filter(({ kind }) => kind === "date");
    const common = commonDateFormats(others.flatMap((column) => column.cells));
    if (common.length > 0) formats = formats.filter((format) => common.includes(format));
  }
  if (formats.length > 1)
    formats = formatsInOrder(columnsOf(table, mapping, DATES, "date"), formats);
  if (formats.length > 1) formats = formatsWithCloseYears(cells, formats);
  const [only] = formats;
  if (formats.length <= 1) return only ? { ...mapping, date_format: only } : mapping;
  const day = (format: DateFormat, cell: string) => dateReader(format, "UTC")(cell);
  const ambiguous =
    cells.find((cell) => new Set(formats.map((format) => day(format, cell))).size > 1) ??
    cells[0] ??
    "";
  const days = new Map<string | null, DateFormat>();
  for (const format of formats) {
    const read = cells.map((cell) => day(format, cell)).join();
    if (!days.has(read)) days.set(read, format);
  }
  const distinct = [...days.values()];
  if (distinct.length === 1) return { ...mapping, date_format: distinct[0] };
  questions.push({
    about: "date_format",
    message: `"${ambiguous}" can be read as more than one day. Which is it?`,
    example: ambiguous,
    choices: distinct.map((value) => ({ value, reads_as: day(value, ambiguous) })),
  });
  return mapping;
}

/**
 * Drops formats that read days of a month as years, such as 26.10.02 and 26.10.15 as 2002 and 2015:
 * the dates of a file are within two calendar years.
 */
function formatsWithCloseYears(cells: readonly string[], formats: DateFormat[]): DateFormat[] {
  const close = formats.filter((format) => {
    const read = dateReader(format, "UTC");
    const years = [...new Set(cells)].flatMap((cell) => Number(read(cell)?.slice(0, 4)) || []);
    return Math.max(...years) - Math.min(...years) <= 1;
  });
  const remaining = close.length > 0 ? close : formats;
  const usual = remaining.filter((format) => !YEAR_FIRST.includes(format));
  return usual.length > 0 ? usual : remaining;
}

/**
 * Returns the only format in which a column of days is sorted, as rows usually are. If none or
 * several are, returns all formats.
 */
function formatsInOrder(columns: readonly Column[], formats: DateFormat[]): DateFormat[] {
  const ordering = columns.filter(({ cells }) => new Set(cells).size >= MIN_ORDERED_DAYS);
  if (ordering.length === 0) return formats;
  const ordered = formats.filter((format) => {
    const read = dateReader(format, "UTC");
    return ordering.some(({ cells }) => {
      const days = cells.map((cell) => read(cell) ?? "");
      const hasRise = days.some((day, at) => at > 0 && day > (days[at - 1] ?? ""));
      const hasFall = days.some((day, at) => at > 0 && day < (days[at - 1] ?? ""));
      return !(hasRise && hasFall);
    });
  });
  return ordered.length === 1 ? ordered : formats;
}
