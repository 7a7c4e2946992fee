import { decimalsOf } from "../../wire/currencies.ts";
import { type DecimalSeparator, writtenAmount } from "../../wire/money.ts";
import { uniqueNames } from "./csv.ts";
import {
  dateFormatsOf,
  looksLikeAmount,
  looksLikeDate,
  quoteOf,
  type Row,
  rowsOf,
} from "./csv-layout.ts";
import { fieldsNamed, plainWords } from "./csv-words.ts";
import { dateReader } from "./dates.ts";
import {
  type DateFormat,
  type Delimiter,
  type Encoding,
  type MappedField,
  type Mapping,
  SIGN_VALUES,
} from "./mapping.ts";

const HEADER_WITHIN_ROWS = 50;
const SAMPLES = 10;
const SIGN_WORDS = new Set(
  [...SIGN_VALUES.debit, ...SIGN_VALUES.credit].map((word) => word.toUpperCase()),
);

export type ColumnKind = "date" | "amount" | "currency" | "sign" | "text" | "empty";

/** Something of the file that can be read two ways, or that it does not say: asked about, never guessed. */
export type Question = {
  /** The mapping's field that the answer is for: `date_format`, `decimal_separator`, `fields.amount`, … */
  about: string;
  message: string;
  /** A value of the file, and what each answer would make of it. */
  example: string | null;
  choices: { value: string; reads_as: string | null }[];
};

export type CsvDescription = {
  delimiter: Delimiter;
  quote: '"' | "'";
  header_row: boolean;
  /** The header's line, from 1; null where there is none. */
  header_line: number | null;
  columns: { name: string; kind: ColumnKind; samples: string[] }[];
  /** The first ten rows of the table, cell by cell. */
  rows: { line: number; cells: string[] }[];
  /** The mapping as far as names and values show it. */
  mapping: Mapping;
  /** Named by the amount column's header, as in "Bedrag (EUR)". */
  currency: string | null;
};

/** How a file is cut into cells. */
export type Layout = {
  encoding?: Encoding | undefined;
  delimiter?: Delimiter | undefined;
  header_row?: boolean | undefined;
};

/** Describes a CSV by its head. `hasHeader`: found out unless given. Null where it is no table. */
export function describeCsv(
  head: string,
  delimiter: Delimiter,
  hasHeader?: boolean,
): { csv: CsvDescription; questions: Question[] } | null {
  const quote = quoteOf(head, delimiter);
  const rows = rowsOf(head, delimiter, quote);
  const headerAt =
    hasHeader === false ? -1 : hasHeader ? Math.max(0, headerOf(rows)) : headerOf(rows);
  const table = rows.slice(headerAt + 1).filter(({ cells }) => cells.length > 1);
  const width = Math.max(
    headerAt >= 0 ? (rows[headerAt]?.cells.length ?? 0) : 0,
    ...table.map(({ cells }) => cells.length),
  );
  if (width < 2 || !isTable(table, headerAt >= 0)) return null;
  const names =
    headerAt >= 0
      ? uniqueNames(rows[headerAt]?.cells ?? [])
      : Array.from({ length: width }, (_, at) => String(at + 1));
  const columns = names.map((name, at) => {
    const cells = table.map((row) => (row.cells[at] ?? "").trim()).filter((cell) => cell !== "");
    return { name, kind: kindOf(cells), samples: cells.slice(0, SAMPLES), cells };
  });
  const questions: Question[] = [];
  const fields = headerAt >= 0 ? proposedFields(columns) : {};
  // Gross, net and total are amounts, too: which of them is meant is for a person to say.
  const amounts = columns.filter(
    ({ name, kind }) =>
      kind === "amount" && fieldsNamed(name).some(({ field }) => field === "amount"),
  );
  if (fields.amount && amounts.length > 1) delete fields.amount;
  if (!fields.amount && !fields.debit && !fields.credit)
    questions.push(
      whichColumn(
        "amount",
        "Which column is the amount?",
        amounts.length > 1 ? amounts : columns,
        "amount",
      ),
    );
  if (!fields.value_date && !fields.booked_date)
    questions.push(whichColumn("value_date", "Which column is the date?", columns, "date"));
  // Where it is asked which column, all that may be it are looked at.
  const cellsOf = (wanted: MappedField[], kind: ColumnKind) => {
    const named = columns.filter(({ name }) => wanted.some((field) => fields[field] === name));
    return (named.length > 0 ? named : columns.filter((column) => column.kind === kind)).flatMap(
      ({ cells }) => cells,
    );
  };
  const date_format = dateFormat(
    cellsOf(["value_date", "booked_date"], "date").filter(looksLikeDate),
    questions,
  );
  const decimal_separator = decimalSeparator(
    cellsOf(["amount", "debit", "credit"], "amount").filter(looksLikeAmount),
    questions,
  );
  const amountName = fields.amount ?? fields.debit ?? "";
  const code = plainWords(amountName).toUpperCase().split(" ").at(-1) ?? "";
  return {
    csv: {
      delimiter,
      quote: quote === "'" ? "'" : '"',
      header_row: headerAt >= 0,
      header_line: rows[headerAt]?.line ?? null,
      columns: columns.map(({ name, kind, samples }) => ({ name, kind, samples })),
      rows: table.slice(0, SAMPLES),
      mapping: {
        fields,
        delimiter,
        header_row: headerAt >= 0,
        ...(quote && { quote }),
        ...(date_format && { date_format }),
        ...(decimal_separator && { decimal_separator }),
      },
      currency: decimalsOf(code) === undefined ? null : code,
    },
    questions,
  };
}

/** Whether most rows have a cell of a table, a date or an amount: a letter has commas, too. */
function isTable(table: Row[], hasHeader: boolean): boolean {
  const withValues = table.filter(({ cells }) =>
    cells.some((cell) => looksLikeDate(cell.trim()) || looksLikeAmount(cell.trim())),
  );
  return withValues.length > 0 ? withValues.length >= table.length / 2 : hasHeader;
}

/** The first row with names that we know, and no date; without such, a row of texts above rows with dates. -1: none. */
function headerOf(rows: Row[]): number {
  const first = rows.slice(0, HEADER_WITHIN_ROWS);
  const hasData = (cells: string[]) => cells.some((cell) => looksLikeDate(cell.trim()));
  const known = first.findIndex(
    ({ cells }) =>
      !hasData(cells) && cells.filter((cell) => fieldsNamed(cell).length > 0).length >= 2,
  );
  if (known >= 0) return known;
  const data = first.findIndex(({ cells }) => hasData(cells) && cells.length > 1);
  const above = first[data - 1];
  const isHeader =
    above &&
    above.cells.length >= (first[data]?.cells.length ?? 0) - 1 &&
    above.cells.every((cell) => !looksLikeAmount(cell.trim()));
  return isHeader ? data - 1 : -1;
}

/** What most cells look like: totals rows and faults are in a column, too. */
function kindOf(cells: string[]): ColumnKind {
  if (cells.length === 0) return "empty";
  const most = (test: (cell: string) => boolean) => cells.filter(test).length >= cells.length * 0.7;
  if (most((cell) => decimalsOf(cell.toUpperCase()) !== undefined)) return "currency";
  if (most((cell) => SIGN_WORDS.has(cell.toUpperCase()))) return "sign";
  if (most(looksLikeDate)) return "date";
  return most(looksLikeAmount) ? "amount" : "text";
}

type Column = { name: string; kind: ColumnKind; cells: string[] };

/** Which kinds of values a field may have: "Valuta" is a date in German and a currency in Dutch. */
const KINDS: Record<MappedField, ColumnKind[]> = {
  amount: ["amount"],
  amount_minor: ["amount"],
  debit: ["amount", "empty"],
  credit: ["amount", "empty"],
  sign: ["sign"],
  fee: ["amount", "empty"],
  fee_minor: ["amount", "empty"],
  currency: ["currency"],
  value_date: ["date"],
  booked_date: ["date"],
  reference: ["text", "amount", "date", "sign", "currency", "empty"],
  counterparty: ["text", "empty", "sign", "currency"],
  description: ["text", "empty", "amount", "sign", "currency"],
  group_key: ["text", "amount", "empty"],
  external_id: ["text", "amount", "date"],
};

function proposedFields(columns: Column[]): Mapping["fields"] {
  const candidates = columns
    .flatMap((column, at) => fieldsNamed(column.name).map((named) => ({ ...named, column, at })))
    .filter(({ field, column }) => KINDS[field].includes(column.kind))
    .sort((left, right) => left.place - right.place || left.at - right.at);
  const fields: Mapping["fields"] = {};
  const taken = new Set<string>();
  for (const { field, column } of candidates) {
    if (fields[field] !== undefined || taken.has(column.name)) continue;
    fields[field] = column.name;
    taken.add(column.name);
  }
  if (
    fields.external_id &&
    new Set(cellsOf(columns, fields.external_id)).size < cellsOf(columns, fields.external_id).length
  )
    delete fields.external_id;
  // Debit and credit columns take precedence over an amount column; one of them without the other is ignored.
  if (fields.debit && fields.credit) delete fields.amount;
  else if (fields.amount) {
    delete fields.debit;
    delete fields.credit;
  }
  const isSigned = cellsOf(columns, fields.amount).some((cell) => /^[-(\u2212]|-$|DR$/i.test(cell));
  if (!fields.amount || isSigned) delete fields.sign;
  return fields;
}

function cellsOf(columns: Column[], name: string | undefined): string[] {
  return columns.find((column) => column.name === name)?.cells ?? [];
}

function whichColumn(
  field: MappedField,
  message: string,
  columns: Column[],
  kind: ColumnKind,
): Question {
  const likely = columns.filter((column) => column.kind === kind);
  const choices = (likely.length > 0 ? likely : columns).map(({ name, cells }) => ({
    value: name,
    reads_as: cells[0] ?? null,
  }));
  return { about: `fields.${field}`, message, example: null, choices };
}

function dateFormat(cells: string[], questions: Question[]): DateFormat | undefined {
  const [first, ...others] = cells;
  if (first === undefined) return undefined;
  let formats = dateFormatsOf(first);
  for (const cell of others)
    formats = formats.filter((format) => dateFormatsOf(cell).includes(format));
  if (formats.length <= 1) return formats[0];
  const day = (format: DateFormat, cell: string) => dateReader(format, "UTC")(cell);
  const ambiguous =
    cells.find((cell) => new Set(formats.map((format) => day(format, cell))).size > 1) ?? first;
  questions.push({
    about: "date_format",
    message: `"${ambiguous}" can be read as more than one day. Which is it?`,
    example: ambiguous,
    choices: formats.map((value) => ({ value, reads_as: day(value, ambiguous) })),
  });
  return undefined;
}

/** By the syntax alone: a currency of three decimals leaves 1.234 open, as a person would. */
function decimalSeparator(cells: string[], questions: Question[]): DecimalSeparator | undefined {
  const bare = cells.map((cell) => cell.replace(/\p{L}+\.?|\p{Sc}/gu, "").trim());
  const read = (cell: string, separator: DecimalSeparator) => writtenAmount(cell, "KWD", separator);
  const fitting = ([".", ","] as const).filter((separator) =>
    bare.every((cell) => typeof read(cell, separator) === "number"),
  );
  if (fitting.length === 1) return bare.some((cell) => /[.,]/.test(cell)) ? fitting[0] : undefined;
  const ambiguous = bare.find(
    (cell) => fitting.length === 2 && read(cell, ".") !== read(cell, ","),
  );
  if (ambiguous === undefined) return undefined;
  questions.push({
    about: "decimal_separator",
    message: `"${ambiguous}" can be read as two amounts. Which mark stands before the decimals?`,
    example: ambiguous,
    choices: fitting.map((value) => ({ value, reads_as: shown(read(ambiguous, value)) })),
  });
  return undefined;
}

/** Minor units of three decimals as a person writes them. */
function shown(minor: ReturnType<typeof writtenAmount>): string | null {
  if (typeof minor !== "number") return null;
  const digits = String(Math.abs(minor)).padStart(4, "0");
  const fraction = digits.slice(-3).replace(/^000$/, "");
  return `${minor < 0 ? "-" : ""}${digits.slice(0, -3)}${fraction && `.${fraction}`}`;
}
