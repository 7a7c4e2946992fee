import { type CsvError, type InfoRecord, parse } from "csv-parse";
import type { Delimiter, Mapping } from "../mapping.ts";
import { LINE_MAX_LENGTH } from "../reader.ts";
import { refuseFile } from "../refusal.ts";

export const COLUMNS_MAX = 1_000;
/** Cells without a letter don't count towards a record's length, yet each costs memory. */
const RECORD_MAX_BYTES = 1024 * 1024;

/** Records of CSV with the number of their first line, as they arrive. */
export type Records = { write: (text: string) => void; end: () => void };

/**
 * Splits CSV (RFC 4180, any of our delimiters, LF, CRLF or CR). A quotation mark within a cell that
 * does not begin with one is an ordinary character.
 * @throws FileRefused on write or end: for a quotation mark that is never closed, a record of over
 *   256 KiB, over 1,000 columns
 */
export function csvRecords(
  delimiter: Delimiter,
  quote: Mapping["quote"],
  onRecord: (cells: string[], line: number) => void,
): Records {
  let lastLine = 0;
  let doubled = 0;
  let endOfRecord = 0;
  let failure: unknown;
  const parser = parse({
    delimiter,
    quote: quote === "none" ? null : (quote ?? '"'),
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: LINE_MAX_LENGTH,
    on_record: (cells: string[], { lines }: InfoRecord) => {
      endOfRecord = parser.info.bytes;
      // Makes the parser treat each record as its first: for a record of another length it would
      // create an error, which takes longer than parsing ten records.
      (parser.info as { records: number }).records = 0;
      const first = lastLine + 1;
      lastLine = lines - doubled;
      if (lastLine > first) lastLine -= countedTwice(cells);
      doubled = lines - lastLine;
      if (cells.length > COLUMNS_MAX) {
        failure = tooManyColumns(first, String(cells.length));
        throw failure;
      }
      onRecord(cells, first);
      return null;
    },
  });
  /** A record with line breaks may have swallowed other rows. */
  const failed = (error: CsvError) =>
    describe(error, lastLine + 1, parser.info.lines - doubled - lastLine > 1);
  parser.on("error", (error) => {
    failure ??= failed(error as CsvError);
  });

  // The parser is a stream, but with nothing to push it works synchronously.
  function check(error: unknown): void {
    if (error) failure ??= failed(error as CsvError);
    if (failure) throw failure;
  }
  return {
    write(text) {
      check(failure);
      parser.write(text);
      check(parser.errored);
      if (parser.info.bytes - endOfRecord > RECORD_MAX_BYTES)
        failure = tooManyColumns(lastLine + 1, `more than ${COLUMNS_MAX}`);
      check(failure);
    },
    end() {
      check(failure);
      parser.end();
      check(parser.errored);
      if (!parser.writableFinished) parser.resume();
    },
  };
}

function tooManyColumns(line: number, found: string): unknown {
  return refuseFile(
    { line },
    null,
    "The row has too many columns.",
    found,
    `at most ${COLUMNS_MAX}`,
  );
}

/** CRLF line breaks within a quoted cell: csv-parse counts CR and LF separately. */
function countedTwice(cells: string[]): number {
  let count = 0;
  for (const cell of cells)
    for (let at = cell.indexOf("\r\n"); at >= 0; at = cell.indexOf("\r\n", at + 2)) count++;
  return count;
}

function describe(error: CsvError, line: number, hasLineBreaks: boolean): unknown {
  const place = { line };
  if (error.code === "CSV_MAX_RECORD_SIZE") {
    return refuseFile(
      place,
      null,
      hasLineBreaks
        ? "The row is too long; perhaps a quotation mark in it is never closed."
        : "The row is too long.",
      "",
      `at most ${LINE_MAX_LENGTH} bytes a row`,
    );
  }
  if (error.code === "CSV_QUOTE_NOT_CLOSED")
    return refuseFile(
      place,
      null,
      "A quotation mark is never closed.",
      "",
      "the closing quotation mark",
    );
  return error;
}
