import { type CsvError, type InfoRecord, parse } from "csv-parse";

/** The longest record. Valid ones have a hundredth of it. */
export const RECORD_MAX_LENGTH = 256 * 1024;
/** Cells without a letter don't count towards a record's length, yet each costs memory. */
const RECORD_MAX_BYTES = 1024 * 1024;

/** Records of CSV, as they arrive. */
export type CsvRecords = { write: (chunk: string | Uint8Array) => void; end: () => void };

type Options = {
  delimiter?: string;
  /** Null if cells are never quoted. */
  quote?: string | null;
  /** Whether blanks before a cell are dropped. */
  ltrim?: boolean;
};

/** Why CSV can't be read further. `line` is the first of the record. */
export class CsvFault extends Error {
  readonly reason: "record_too_long" | "too_many_cells" | "quote_not_closed";
  readonly line: number;
  /** Whether the record has line breaks, so it may have swallowed other rows. */
  readonly hasLineBreaks: boolean;

  constructor(reason: CsvFault["reason"], line: number, hasLineBreaks: boolean) {
    super(reason);
    this.name = "CsvFault";
    this.reason = reason;
    this.line = line;
    this.hasLineBreaks = hasLineBreaks;
  }
}

/**
 * Splits CSV (RFC 4180, with LF, CRLF or CR) and passes on the cells of each record with its first
 * and last line. A quotation mark within a cell that does not begin with one is an ordinary
 * character. What `onRecord` throws ends the reading.
 * @throws CsvFault on write or end
 */
export function csvRecords(
  onRecord: (cells: string[], first: number, last: number) => void,
  { delimiter = ",", quote = '"', ltrim = false }: Options = {},
): CsvRecords {
  let lastLine = 0;
  let doubled = 0;
  let endOfRecord = 0;
  let failure: unknown;
  const parser = parse({
    bom: true,
    delimiter,
    quote,
    ltrim,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: RECORD_MAX_LENGTH,
    on_record: (cells: string[], { lines }: InfoRecord) => {
      endOfRecord = parser.info.bytes;
      // Makes the parser treat each record as its first: for a record of another length it would
      // create an error, which takes longer than parsing ten records.
      (parser.info as { records: number }).records = 0;
      const first = lastLine + 1;
      lastLine = lines - doubled;
      if (lastLine > first) lastLine -= countedTwice(cells);
      doubled = lines - lastLine;
      onRecord(cells, first, lastLine);
      return null;
    },
  });
  const fault = (reason: CsvFault["reason"]) =>
    new CsvFault(reason, lastLine + 1, parser.info.lines - doubled - lastLine > 1);
  const failed = (error: CsvError) => {
    if (error.code === "CSV_MAX_RECORD_SIZE") return fault("record_too_long");
    return error.code === "CSV_QUOTE_NOT_CLOSED" ? fault("quote_not_closed") : error;
  };
  parser.on("error", (error) => {
    failure ??= failed(error as CsvError);
  });

  // The parser is a stream, but with nothing to push it works synchronously.
  function check(error: unknown): void {
    if (error) failure ??= failed(error as CsvError);
    if (failure) throw failure;
  }
  return {
    write(chunk) {
      check(failure);
      parser.write(chunk);
      check(parser.errored);
      if (parser.info.bytes - endOfRecord > RECORD_MAX_BYTES) failure = fault("too_many_cells");
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

/** CRLF line breaks within a quoted cell: csv-parse counts CR and LF separately. */
function countedTwice(cells: string[]): number {
  let count = 0;
  for (const cell of cells)
    for (let at = cell.indexOf("\r\n"); at >= 0; at = cell.indexOf("\r\n", at + 2)) count++;
  return count;
}
