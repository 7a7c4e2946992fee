import type { Delimiter, Encoding, MappedField, Mapping } from "../mapping.ts";
import { withDates } from "./csv-date-format.ts";
import { bareAmounts, fittingSeparators, withSeparator } from "./csv-decimal-separator.ts";
import { AMOUNTS, cellsOf, DATES, type Proposal, proposeFields } from "./csv-fields.ts";
import { quoteOf, type Row } from "./csv-layout.ts";
import { likelyAmounts } from "./csv-likely-amounts.ts";
import { withMinorUnits } from "./csv-minor-units.ts";
import type { Question } from "./csv-readings.ts";
import { type ColumnKind, type Table, tableOf } from "./csv-table.ts";
import { fieldsForName } from "./csv-words.ts";
import { Evidence } from "./evidence/evidence.ts";
import { isBalanceName } from "./evidence/find-balance.ts";
import { headerCurrency } from "./evidence/find-currency.ts";
import { weigh } from "./evidence/weigh.ts";
import { omitField } from "./evidence/weigh-direction.ts";

export type { Question } from "./csv-readings.ts";
export type { ColumnKind } from "./csv-table.ts";

const SAMPLES = 10;
const NO_PROPOSAL: Proposal = { fields: {}, amounts: [] };

export type CsvDescription = {
  delimiter: Delimiter;
  quote: '"' | "'";
  header_row: boolean;
  /** The header's line, from 1; null without a header. */
  header_line: number | null;
  columns: { name: string; kind: ColumnKind; samples: string[] }[];
  /** The first ten rows of the table, cell by cell. */
  rows: { line: number; cells: string[] }[];
  /** The mapping, as far as names and values determine it. */
  mapping: Mapping;
  /** The currency in the amount column's header, as in "Bedrag (EUR)". */
  currency: string | null;
};

/** How a file is split into cells. */
export type Layout = {
  encoding?: Encoding | undefined;
  delimiter?: Delimiter | undefined;
  header_row?: boolean | undefined;
};

/** The known properties of a table before its cells are read. */
export type Known = {
  /** The settings of a person or the source, which take precedence over the file. */
  mapping?: Mapping | undefined;
  /** The source's currency. */
  currency?: string | undefined;
  hasHeader?: boolean | undefined;
  /** Whether the head is the whole file, so that its last row is not cut. */
  isWhole?: boolean;
  /**
   * For a workbook with typed cells: numbers have a decimal point, and dates follow ISO 8601,
   * regardless of the mapping.
   */
  isTyped?: boolean;
};

export type Described = { csv: CsvDescription; questions: Question[] };

/** Describes a CSV file by its head. Null if it is not a table. */
export function describeCsv(
  head: string,
  delimiter: Delimiter,
  known: Known = {},
): Described | null {
  const knownMapping = known.mapping;
  const quote = knownMapping?.quote ?? quoteOf(head, delimiter);
  const required = Object.values(knownMapping?.fields ?? {});
  const hasHeader = known.hasHeader ?? knownMapping?.header_row;
  const table = tableOf(head, delimiter, quote, hasHeader, required, known.isWhole ?? true);
  return table && describeTable(table, { delimiter, ...(quote && { quote }) }, known);
}

/**
 * Describes a table from any kind of file: the mapping that reads it, and the questions that it
 * leaves open.
 */
export function describeTable(
  table: Table,
  layout: { delimiter: Delimiter; quote?: Mapping["quote"] },
  { mapping: given, currency, isTyped }: Known,
): Described {
  const hasMappedFields = Object.keys(given?.fields ?? {}).length > 0;
  const proposed = hasMappedFields || !table.hasHeader ? NO_PROPOSAL : proposeFields(table);
  let mapping: Mapping = {
    ...layout,
    header_row: table.hasHeader,
    ...(proposed.fee_sign && { fee_sign: proposed.fee_sign }),
    ...given,
    fields: hasMappedFields ? (given?.fields ?? {}) : proposed.fields,
  };
  if (!hasMappedFields && currency) mapping = withSourceCurrency(table, mapping, currency);
  const questions: Question[] = [];
  if (table.rows.length > 0) {
    const pair = unnamedPair(table, mapping);
    if (pair) mapping = { ...mapping, fields: { ...mapping.fields, ...pair } };
    questions.push(...askColumns(table, mapping, proposed.amounts));
    if (!table.hasHeader && !hasMappedFields) mapping = withLongestText(table, mapping);
    if (!hasMappedFields) mapping = withoutSparseDays(table, withMinorUnits(table, mapping));
    if (isTyped) mapping = withTypes(table, mapping);
    mapping = withDates(table, mapping, questions);
    mapping = withSeparator(table, mapping, questions);
    if (questions.length === 0) {
      const isPairUndecided = pair !== null && given?.fields.debit === undefined;
      const evidence = new Evidence(table, mapping, currency);
      weigh(evidence, isPairUndecided);
      mapping = evidence.mapping;
      questions.push(...evidence.questions);
    }
  }
  const { fields } = mapping;
  return {
    csv: {
      delimiter: layout.delimiter,
      quote: layout.quote === "'" ? "'" : '"',
      header_row: table.hasHeader,
      header_line: table.headerLine,
      columns: table.columns.map(({ name, kind, cells }) => ({
        name,
        kind,
        samples: cells.slice(0, SAMPLES),
      })),
      rows: table.rows.slice(0, SAMPLES).map(({ cells, line }: Row) => ({ cells, line })),
      mapping: withoutUndefined(mapping),
      currency: headerCurrency(fields.amount ?? fields.debit ?? ""),
    },
    questions,
  };
}

/**
 * Asks which column is the amount, and which the date, if no name tells. A single candidate is
 * mapped without asking.
 */
function askColumns(table: Table, mapping: Mapping, amounts: readonly string[]): Question[] {
  const { fields } = mapping;
  const questions: Question[] = [];
  const hasAmount =
    fields.amount ?? fields.amount_minor ?? fields.debit ?? fields.credit ?? undefined;
  if (hasAmount === undefined) {
    const columns = table.columns.filter(({ name }) => amounts.includes(name));
    const message = "Which column is the amount?";
    const question = columnQuestion(
      "amount",
      message,
      columns.length > 1 ? columns : table.columns,
      "amount",
      mapping,
    );
    if (question) questions.push(question);
  }
  if ((fields.value_date ?? fields.booked_date) === undefined) {
    const message = "Which column is the date?";
    const question = columnQuestion("value_date", message, table.columns, "date", mapping);
    if (question) questions.push(question);
  }
  return questions;
}

/**
 * If a table has columns for several currencies, such as "Debit EUR" and "Debit USD", maps those of
 * the source's currency.
 */
function withSourceCurrency(table: Table, mapping: Mapping, currency: string): Mapping {
  const fields = { ...mapping.fields };
  for (const field of AMOUNTS) {
    const name = fields[field];
    if (name === undefined || (headerCurrency(name) ?? currency) === currency) continue;
    const match = table.columns.find(
      (column) =>
        headerCurrency(column.name) === currency &&
        fieldsForName(column.name).some((named) => named.field === field),
    );
    if (match) fields[field] = match.name;
  }
  return { ...mapping, fields };
}

/**
 * Drops the mapping of a booking date that most rows lack, because it doesn't show whether they are
 * booked.
 */
function withoutSparseDays(table: Table, mapping: Mapping): Mapping {
  const { booked_date, value_date, ...fields } = mapping.fields;
  const [booked, value] = [booked_date, value_date].map((name) =>
    table.columns.find((one) => one.name === name),
  );
  if (!booked || !value) return mapping;
  const lacking = value.all.filter((cell, row) => cell !== "" && booked.all[row] === "").length;
  if (lacking <= value.cells.length / 2) return mapping;
  return { ...mapping, fields: { ...fields, ...(value_date && { value_date }) } };
}

/** Maps the longest text of a table without column names as the description. */
function withLongestText(table: Table, mapping: Mapping): Mapping {
  const length = ({ cells }: Table["columns"][number]) => cells.join("").length;
  const [longest] = table.columns
    .filter(({ kind }) => kind === "text")
    .sort((left, right) => length(right) - length(left));
  if (!longest) return mapping;
  return { ...mapping, fields: { ...mapping.fields, description: longest.name } };
}

/**
 * Finds two columns of amounts of which each row has exactly one: they are money out and money in.
 * The rows, or a person, decide which is which.
 */
function unnamedPair(
  table: Table,
  { fields }: Mapping,
): Pick<Mapping["fields"], "debit" | "credit"> | null {
  if ((fields.amount ?? fields.amount_minor ?? fields.credit) !== undefined) return null;
  const amounts = table.columns.filter(
    ({ name, kind, cells }) =>
      kind === "amount" &&
      cells.length > 0 &&
      !Object.values(omitField(fields, "debit")).includes(name),
  );
  for (const debit of amounts) {
    if (fields.debit !== undefined && fields.debit !== debit.name) continue;
    const credit = amounts.find(
      (other) =>
        other !== debit &&
        debit.all.every((cell, row) => isZero(cell) !== isZero(other.all[row] ?? "")),
    );
    if (credit) return { debit: debit.name, credit: credit.name };
  }
  return null;
}

function isZero(cell: string): boolean {
  return !/[1-9]/.test(cell);
}

/**
 * The question which column has a field; undefined for a single candidate, which is mapped instead.
 */
function columnQuestion(
  field: MappedField,
  message: string,
  columns: Table["columns"],
  kind: ColumnKind,
  mapping: Mapping,
): Question | undefined {
  const taken = Object.values(mapping.fields);
  const free = columns.filter((column) => column.kind === kind && !taken.includes(column.name));
  const { amounts: unmapped, balance } =
    field === "amount"
      ? likelyAmounts(free.filter(({ name }) => !isBalanceName(name)))
      : { amounts: free };
  // Columns that are equal in every row count as one candidate.
  const likely = unmapped.filter(
    ({ all }, at) => unmapped.findIndex((other) => other.all.join("\n") === all.join("\n")) === at,
  );
  const candidates = likely.length > 0 ? likely : columns;
  const [only] = candidates;
  if (only && likely.length === 1) {
    mapping.fields = { ...mapping.fields, [field]: only.name };
    if (balance) mapping.balance ??= balance.name;
    return undefined;
  }
  const choices = candidates.map(({ name, cells }) => ({
    value: name,
    reads_as: cells[0] ?? null,
  }));
  return { about: `fields.${field}`, message, example: null, choices };
}

function withTypes(table: Table, mapping: Mapping): Mapping {
  const amounts = bareAmounts(cellsOf(table, mapping, AMOUNTS, "amount"));
  const days = cellsOf(table, mapping, DATES, "date");
  return {
    ...mapping,
    ...(amounts.length > 0 &&
      fittingSeparators(amounts).includes(".") && { decimal_separator: "." as const }),
    ...(days.length > 0 &&
      days.every((day) => /^\d{4}-\d\d-\d\d(?: |$)/.test(day)) && {
        date_format: "YYYY-MM-DD" as const,
      }),
  };
}

function withoutUndefined(mapping: Mapping): Mapping {
  return Object.fromEntries(
    Object.entries(mapping).filter(([, value]) => value !== undefined),
  ) as Mapping;
}
