import { dateReader } from "../dates.ts";
import { DetailsBuilder } from "../line-collector.ts";
import { mappedLines, type Values } from "../mapped-lines.ts";
import type { MappedField } from "../mapping.ts";
import type { Reader, Reading } from "../reader.ts";
import { refuseFile } from "../refusal.ts";
import { labelOf } from "../words/balance-labels.ts";
import { bookingStateOf, headingStateOf } from "../words/booking-states.ts";
import { BalanceChecks } from "./csv-checks.ts";
import { isPlaceholder } from "./csv-layout.ts";
import { beginsTotal, statedBalance } from "./csv-stated-balances.ts";
import { UnbookedRows } from "./csv-unbooked.ts";
import { hiddenRowsWarning } from "./hidden-rows.ts";
import { OwnAccountColumn } from "./own-account-column.ts";
import { SplitAmounts } from "./split-amounts.ts";
import { statusReader } from "./status-reader.ts";
import { SummaryRows } from "./summary-rows.ts";
import { tableRecords } from "./table-records.ts";

const AMOUNTS: ReadonlySet<MappedField> = new Set(["amount", "debit", "credit", "fee"]);
/** The header must be among these rows: banks write a few lines about the account above it. */
const MAX_HEADER_ROWS = 100;

/** Reads the records of a table from any kind of file. */
export type RowReader = {
  onRecord: (cells: string[], line: number) => void;
  end: () => void;
  checks: BalanceChecks;
};

/** CSV with a mapping: see `rowReader`. @throws FileRefused */
export function readCsv(reading: Reading): Reader {
  const rows = rowReader(reading);
  const records = tableRecords(reading.delimiter, reading.mapping?.quote, rows.onRecord);
  return {
    read: (text) => records.write(text),
    end() {
      records.end();
      rows.end();
    },
  };
}

/**
 * Reads a table's rows by a mapping. Rows above the one that has all mapped columns are skipped, as
 * are rows below it that are blank, repeat it, or begin with a word for totals and have no date.
 * Missing cells at the end of a row are empty. Cells of unmapped columns go into details under the
 * column's name; the second of two columns with the same name is called `Name (2)`.
 * @throws FileRefused if none of the first 100 rows is such a header
 */
export function rowReader(given: Reading): RowReader {
  const { out, mapping, delimiter, timeZone } = given;
  if (!mapping)
    throw refuseFile(
      { line: 1 },
      "mapping",
      "CSV needs a mapping.",
      "",
      "which column is which field",
    );
  const checks = new BalanceChecks(given);
  const reading = { ...given, statement: checks.statement };
  const hasHeader = mapping.header_row !== false;
  const add = mappedLines(reading, "written");
  const readDate = dateReader(mapping.date_format ?? "YYYY-MM-DD", timeZone);
  const mapped = Object.entries(mapping.fields) as [MappedField, string][];
  const required = mapped.map(([, column]) => column);
  if (mapping.status) required.push(mapping.status.column);
  const stateOf = mapping.status && statusReader(mapping.status);
  let columns: string[] | undefined;
  let header: string[] | undefined;
  let fields: (MappedField[] | undefined)[] = [];
  let dateColumn = -1;
  let statusColumn = -1;
  const unbooked = new UnbookedRows(mapping);
  const splitAmounts = delimiter === "," ? new SplitAmounts() : undefined;
  const ownAccount = new OwnAccountColumn();
  const summaries = new SummaryRows();
  let rows = 0;

  function setColumns(names: string[]) {
    columns = names;
    fields = names.map((name) => {
      const mappedFields = mapped.filter(([, column]) => column === name).map(([field]) => field);
      return mappedFields.length > 0 ? mappedFields : undefined;
    });
    dateColumn = fields.findIndex((mappedFields) => mappedFields?.includes("value_date") ?? false);
    if (dateColumn < 0)
      dateColumn = fields.findIndex(
        (mappedFields) => mappedFields?.includes("booked_date") ?? false,
      );
    statusColumn = mapping?.status ? names.indexOf(mapping.status.column) : -1;
    unbooked.setColumns(names);
    splitAmounts?.setColumns(names, fields);
    checks.setColumns(names);
    ownAccount.setColumns(names);
  }

  /**
   * Uses the row as the header if it has all mapped columns; rows above the header are about the
   * account.
   */
  function findHeader(cells: string[], line: number) {
    const names = uniqueNames(cells);
    if (required.every((column) => names.includes(column))) {
      header = cells;
      return setColumns(names);
    }
    unbooked.readHeading(cells);
    const stated = statedBalance(cells);
    if (stated) checks.addStated(stated);
    rows++;
    if (rows < MAX_HEADER_ROWS) return;
    throw noHeader(line);
  }

  function noHeader(line: number): Error {
    const names = required.map((column) => `"${column}"`).join(", ");
    return refuseFile(
      { line },
      null,
      "No row has all mapped columns.",
      "",
      `a header row with ${names} within the first ${MAX_HEADER_ROWS} rows`,
    );
  }

  function isNotLine(cells: string[], line: number): boolean {
    const first = cells.find((cell) => cell.trim() !== "");
    if (first === undefined) return true;
    const date = dateColumn < cells.length ? (cells[dateColumn] ?? "").trim() : "";
    const stated = statedBalance(cells);
    if ((stated || beginsTotal(first.trim())) && readDate(date) === null) {
      if (stated) checks.addStated(stated);
      out.skip({ line }, "total", cells.join(delimiter));
      return true;
    }
    const filled = cells.filter((cell) => cell.trim() !== "");
    if (filled.length === 1) {
      unbooked.readHeading(cells);
      if (headingStateOf(first) === "booked") return true;
    }
    // Some banks write "Pending" in place of the date.
    const state = date === "" ? undefined : bookingStateOf(date);
    if (state === "pending" || state === "declined") {
      out.skip({ line }, state, cells.join(delimiter));
      return true;
    }
    if (header === undefined || first !== header.find((cell) => cell.trim() !== "")) return false;
    return header.every((name, at) => name === (cells[at] ?? ""));
  }

  /**
   * Whether a row with a date states a balance or a total. A payment may have the same text, but it
   * moves the balance.
   */
  function isSummary(values: Values, cells: string[], line: number): boolean {
    const text = values.description ?? "";
    const amount = values.amount ?? values.credit ?? values.debit ?? "";
    const label = labelOf(text) ?? labelOf(values.counterparty ?? "");
    const verdict =
      label === undefined
        ? summaries.verdictOf(text || (values.counterparty ?? ""), () => checks.minorOf(amount))
        : "summary";
    if (verdict === "line") return false;
    const moved = checks.isMovedBy(amount, cells);
    if (moved === true) return false;
    if (moved === null || verdict === "unclear") {
      const problem = "The row may be a line, or state a balance or total.";
      refuse(line, "description", problem, text, "a file without rows of balances and totals");
      return true;
    }
    out.skip({ line }, "total", cells.join(delimiter));
    if (label === undefined || label === "total") return true;
    const column = mapping?.balance ?? "";
    const balance = (cells[columns?.indexOf(column) ?? -1] ?? "").trim();
    checks.addStated({ kind: label, amount: balance || amount, currency: null });
    return true;
  }

  function refuse(
    line: number,
    field: string | null,
    problem: string,
    found: string,
    wanted: string,
  ) {
    checks.addRefusal();
    out.refuse({ line }, field, problem, found, wanted);
  }

  function onRecord(cells: string[], line: number) {
    const hidden = mapping?.sheet === undefined ? undefined : hiddenRowsWarning(cells);
    if (hidden) return out.warn(hidden.code, hidden.message);
    if (columns === undefined) {
      if (hasHeader) return findHeader(cells, line);
      if (cells.every((cell) => cell.trim() === "")) return;
      setColumns(cells.map((_, at) => String(at + 1)));
      const missing = mapped.find(([, column]) => !columns?.includes(column));
      if (missing)
        throw refuseFile(
          { line },
          missing[0],
          "There is no such column.",
          missing[1],
          `a number from 1 to ${cells.length}`,
        );
    }
    const width = columns?.length ?? 0;
    // Fast path for lines: they have all cells, and a digit at the start of the date.
    if (
      (cells.length !== width || !/^\s*\d/.test(cells[dateColumn] ?? "")) &&
      isNotLine(cells, line)
    )
      return;
    if (cells.length > width && cells.slice(width).some((cell) => cell.trim() !== ""))
      return refuse(
        line,
        null,
        "The row has another number of cells than the header.",
        `${cells.length} cells`,
        `${width} cells`,
      );
    const split = splitAmounts?.find(cells, width);
    if (split !== undefined)
      return refuse(
        line,
        "amount",
        "A comma without quotation marks seems to split an amount into two cells.",
        split,
        "amounts in quotation marks, or another separator of cells",
      );
    const values: Values = {};
    const details = new DetailsBuilder();
    for (let at = 0; at < width; at++) {
      const text = (cells[at] ?? "").trim();
      if (text === "") continue;
      if (text.includes("\n") && swallowsRow(text, at)) {
        return refuse(
          line,
          columns?.[at] ?? null,
          "A quotation mark seems never closed: the cell holds another row.",
          text,
          "a closing quotation mark",
        );
      }
      const mappedFields = fields[at];
      if (mappedFields === undefined) details.add(columns?.[at] ?? "", text);
      else if (!isPlaceholder(text) || !mappedFields.some((field) => AMOUNTS.has(field)))
        for (const field of mappedFields) values[field] = text;
    }
    if (cells.length < width && lacksDateOrAmount(values))
      return refuse(
        line,
        null,
        "The row ends before its date or amount.",
        `${cells.length} cells`,
        `${width} cells`,
      );
    const section = unbooked.sectionOf(cells);
    if (section) return out.skip({ line }, section, cells.join(delimiter));
    const fault = unbooked.find(values, cells);
    if (fault) return refuse(line, fault.field, fault.problem, fault.found, fault.wanted);
    if (stateOf && !isBooked((cells[statusColumn] ?? "").trim(), cells, line)) return;
    if (isSummary(values, cells, line)) return;
    const added = add(values, details.details, { line });
    if (!added) return checks.addRefusal();
    checks.addLine(added, cells);
    ownAccount.addLine(cells);
    summaries.add(added.amount_minor);
  }

  function lacksDateOrAmount(values: Values): boolean {
    const hasAmount =
      values.amount ?? values.amount_minor ?? values.debit ?? values.credit ?? undefined;
    return hasAmount === undefined || (values.value_date ?? values.booked_date) === undefined;
  }

  function isBooked(status: string, cells: string[], line: number): boolean {
    const state = stateOf?.(status);
    if (state === "booked") return true;
    if (state === undefined)
      refuse(
        line,
        mapping?.status?.column ?? null,
        "This status is not known.",
        status,
        "a mapping whose status says if it is booked",
      );
    else out.skip({ line }, state, cells.join(delimiter));
    return false;
  }

  /**
   * Whether a cell of several lines has a date at the position where a row that it swallowed would
   * have one.
   */
  function swallowsRow(text: string, at: number): boolean {
    const [first = "", ...others] = text.split(/\r?\n/);
    const dateAt = (part: string, index: number) =>
      readDate((part.split(delimiter)[index] ?? "").trim().replace(/^"|"$/g, "")) !== null;
    if (dateColumn > at && dateAt(first, dateColumn - at)) return true;
    return others.some((part) => dateAt(part, dateColumn) && part.includes(delimiter));
  }

  return {
    onRecord,
    checks,
    end() {
      if (hasHeader && columns === undefined) throw noHeader(1);
      checks.end(out);
      ownAccount.end(out);
    },
  };
}

/**
 * Column names as mappings refer to them: trimmed, the column's number in place of an empty name,
 * and a number after each repetition of a name.
 */
export function uniqueNames(cells: string[]): string[] {
  const names = cells.map((cell) => cell.trim());
  const seen = new Map<string, number>();
  return names.map((name, at) => {
    const bare = name === "" ? String(at + 1) : name;
    const nth = (seen.get(bare) ?? 0) + 1;
    seen.set(bare, nth);
    return nth === 1 ? bare : `${bare} (${nth})`;
  });
}
