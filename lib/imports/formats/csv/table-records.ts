import { CsvFault, csvRecords } from "../../../wire/csv-records.ts";
import type { Delimiter, Mapping } from "../mapping.ts";
import { LINE_MAX_LENGTH } from "../reader.ts";
import { refuseFile } from "../refusal.ts";

export const MAX_COLUMNS = 1_000;

/** Records of CSV with the number of their first line, as they arrive. */
export type TableRecords = { write: (text: string) => void; end: () => void };

/**
 * `csvRecords` with any of our delimiters.
 * @throws FileRefused on write or end: for a quotation mark that is never closed, a record of more
 *   than 256 KiB, or more than 1,000 columns
 */
export function tableRecords(
  delimiter: Delimiter,
  quote: Mapping["quote"],
  onRecord: (cells: string[], line: number) => void,
): TableRecords {
  const records = csvRecords(
    (cells, first) => {
      if (cells.length > MAX_COLUMNS) throw tooManyColumns(first, String(cells.length));
      for (let at = 0; at < cells.length; at++)
        if (cells[at]?.charCodeAt(0) === EQUALS) cells[at] = unwrap(cells[at] ?? "");
      onRecord(cells, first);
    },
    { delimiter, quote: quote === "none" ? null : (quote ?? '"') },
  );
  return {
    write: (text) => withRefusals(() => records.write(text)),
    end: () => withRefusals(() => records.end()),
  };
}

const EQUALS = 61;

/** Unwraps ="00123", which programs write so that spreadsheets don't drop the zeros. */
function unwrap(cell: string): string {
  return cell.length > 2 && cell.startsWith('="') && cell.endsWith('"') ? cell.slice(2, -1) : cell;
}

function withRefusals(step: () => void): void {
  try {
    step();
  } catch (error) {
    throw error instanceof CsvFault ? describe(error) : error;
  }
}

function describe({ reason, line, hasLineBreaks }: CsvFault): unknown {
  switch (reason) {
    case "too_many_cells":
      return tooManyColumns(line, `more than ${MAX_COLUMNS}`);
    case "record_too_long":
      return refuseFile(
        { line },
        null,
        hasLineBreaks
          ? "The row is too long; perhaps a quotation mark in it is never closed."
          : "The row is too long.",
        "",
        `at most ${LINE_MAX_LENGTH} bytes a row`,
      );
    case "quote_not_closed":
      return refuseFile(
        { line },
        null,
        "A quotation mark is never closed.",
        "",
        "the closing quotation mark",
      );
  }
}

function tooManyColumns(line: number, found: string): unknown {
  return refuseFile(
    { line },
    null,
    "The row has too many columns.",
    found,
    `at most ${MAX_COLUMNS}`,
  );
}
