import { decimalsOf } from "../../../wire/currencies.ts";
import type { ImportLine } from "../line.ts";
import { LineCollector } from "../line-collector.ts";
import type { Delimiter, Mapping } from "../mapping.ts";
import type { BalancePattern } from "../running-balance.ts";
import { rowReader } from "./csv.ts";
import type { Table } from "./csv-table.ts";

/** A reading is tried on the first rows; the import checks all of them. */
const MAX_TRIED_ROWS = 2_000;
const MAX_SHOWN_ROWS = 3;

/** The result of reading a table's first rows with a mapping, and whether its balances agree. */
export type TriedReading = { mapping: Mapping; lines: ImportLine[]; pattern: BalancePattern };

/**
 * A question about something that the file leaves open, or that can be read in two ways. Its answer
 * is never guessed.
 */
export type Question = {
  /**
   * The mapping's field that the answer sets: `date_format`, `decimal_separator`, `fields.amount`,
   * …
   */
  about: string;
  message: string;
  /** A value from the file, and how each answer would read it. */
  example: string | null;
  /** `value`: as in the mapping; JSON if it is not text. */
  choices: { value: string; reads_as: string | null }[];
};

/** Reads the table's first rows as the import would. */
export function tryReading(
  table: Table,
  mapping: Mapping,
  currency: string | undefined,
): TriedReading {
  const out = new LineCollector(MAX_TRIED_ROWS);
  const rows = rowReader({
    out,
    mapping: { ...mapping, header_row: true },
    currency: currency ?? "EUR",
    timeZone: "UTC",
    delimiter: (mapping.delimiter ?? ",") as Delimiter,
  });
  rows.onRecord(
    table.columns.map(({ name }) => name),
    0,
  );
  for (const { cells, line } of table.rows.slice(0, MAX_TRIED_ROWS)) rows.onRecord(cells, line);
  return { mapping, lines: out.lines, pattern: rows.checks.pattern };
}

/** Whether the file's balances confirm the reading: at most one in five doesn't follow from it. */
export function isConfirmed({ pattern: { holds, breaks } }: TriedReading): boolean {
  return holds > 0 && holds >= 4 * breaks;
}

/**
 * The readings that the most balances confirm; as credit balances if possible, otherwise as amounts
 * owed.
 */
export function confirmedReadings(readings: readonly TriedReading[]): TriedReading[] {
  const maxHolds = Math.max(0, ...readings.map(({ pattern }) => pattern.holds));
  const fitting = readings.filter(
    (reading) => isConfirmed(reading) && reading.pattern.holds === maxHolds,
  );
  const usual = fitting.filter(({ pattern }) => pattern.polarity === 1);
  return usual.length > 0 ? usual : fitting;
}

/** The first rows that the readings interpret differently, as one of them reads them. */
export function previewRows(
  reading: TriedReading,
  others: readonly TriedReading[],
  currency: string | undefined,
): string {
  const differing = reading.lines.filter((line) =>
    others.some((other) => amountAt(other, line.position.line) !== amountOf(line)),
  );
  const rows = (differing.length > 0 ? differing : reading.lines).slice(0, MAX_SHOWN_ROWS);
  return rows
    .map((line) => {
      const text = line.description ?? line.counterparty ?? line.reference ?? "";
      const shown = formatAmount(amountOf(line), line.currency ?? currency ?? "EUR");
      return [line.value_date, text.slice(0, 40), shown].filter((part) => part !== "").join(" ");
    })
    .join("; ");
}

function amountOf(line: ImportLine): number {
  return line.amount_minor - (line.fee_minor ?? 0);
}

function amountAt(reading: TriedReading, row: number): number | undefined {
  const line = reading.lines.find(({ position }) => position.line === row);
  return line && amountOf(line);
}

function formatAmount(minor: number, currency: string): string {
  const decimals = decimalsOf(currency) ?? 2;
  const digits = String(Math.abs(minor)).padStart(decimals + 1, "0");
  const at = digits.length - decimals;
  const fraction = decimals === 0 ? "" : `.${digits.slice(at)}`;
  return `${minor < 0 ? "-" : "+"}${digits.slice(0, at)}${fraction} ${currency}`;
}
