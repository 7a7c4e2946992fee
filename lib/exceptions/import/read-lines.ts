import { CsvFault, csvRecords, RECORD_MAX_LENGTH } from "../../wire/csv-records.ts";
import { ApiError, type FieldError, invalidRequest } from "../../wire/errors.ts";
import { parseJsonObject } from "../../wire/json-object.ts";
import { requireText } from "../../wire/text.ts";
import { TextLines } from "../../wire/text-lines.ts";

const FILE_MAX_BYTES = 64 * 1024 * 1024;
const ROWS_MAX = 100_000;
const NUMBERS = ["amount_minor"];
const COLUMNS_REPORTED = 100;
const COLUMN_REPORTED_LENGTH = 100;

const TOO_LONG = "This row is too long. It and every row after it were skipped.";
const NOT_CLOSED =
  "A quotation mark in this row is never closed. It and every row after it were skipped.";

/** A row of a file, numbered from 1, with its value or its error. */
export type Line = { number: number; value?: Record<string, unknown>; fault?: string };

/**
 * Passes on rows as their bytes arrive. Both return false if nothing after these bytes can be read.
 */
type RowReader = { write: (chunk: Uint8Array) => boolean; end: () => boolean };

/**
 * Streams the rows of NDJSON, or of CSV whose header names some of the `fields`. Rows over 100,000
 * are not parsed. The file is read to its end in any case, because responding earlier would break
 * the connection. @throws ApiError `payload_too_large` over 64 MiB; `invalid_request` if the header
 * names an unknown field or a field twice
 */
export async function* readLines(
  mediaType: string,
  chunks: AsyncIterable<Uint8Array>,
  fields: ReadonlySet<string>,
): AsyncGenerator<Line> {
  const arrived: Line[] = [];
  const onRow = (line: Line) => arrived.push(line);
  const reader = mediaType === "text/csv" ? csvRows(onRow, fields) : ndjsonRows(onRow);
  let rows = 0;
  let isReading = true;
  let failure: unknown;

  function* drain(read: () => boolean): Generator<Line> {
    try {
      isReading = read();
    } catch (error) {
      isReading = false;
      failure = error;
    }
    for (const line of arrived.splice(0)) {
      if (rows++ < ROWS_MAX) yield line;
      else {
        isReading = false;
        yield {
          number: line.number,
          fault:
            "A file can have at most 100,000 rows. This row and every row after it were skipped.",
        };
        return;
      }
    }
  }

  for await (const chunk of bounded(chunks)) if (isReading) yield* drain(() => reader.write(chunk));
  if (isReading) yield* drain(() => reader.end());
  if (failure) throw failure;
}

function ndjsonRows(onRow: (line: Line) => void): RowReader {
  const decoder = new TextDecoder("utf-8");
  const lines = new TextLines(
    RECORD_MAX_LENGTH,
    (text) => {
      if (text.trim() !== "")
        onRow(lineOf(lines.number, () => parseJsonObject(requireIntact(text))));
    },
    () => onRow({ number: lines.number, fault: "This row is too long." }),
  );
  return {
    write(chunk) {
      lines.read(decoder.decode(chunk, { stream: true }));
      return true;
    },
    end() {
      lines.read(decoder.decode());
      lines.end();
      return true;
    },
  };
}

/** @throws ApiError 400 on write or end, for a header with a fault */
function csvRows(onRow: (line: Line) => void, fields: ReadonlySet<string>): RowReader {
  let header: string[] | undefined;
  const records = csvRecords(
    (cells, _first, number) => {
      if (cells.length === 1 && cells[0] === "") return;
      if (!header) {
        header = cells.map((name) => name.trim());
        requireFields(header, fields);
      } else if (cells.length === header.length) {
        const names = header;
        onRow(lineOf(number, () => fromCells(names, cells)));
      } else onRow({ number, fault: "This row has a different number of cells than the header." });
    },
    { ltrim: true },
  );
  function read(step: () => void): boolean {
    try {
      step();
      return true;
    } catch (error) {
      if (!(error instanceof CsvFault)) throw error;
      const isOpen = error.reason === "quote_not_closed";
      if (!header && !isOpen) throw headerTooLong(fields);
      onRow({ number: error.line, fault: isOpen ? NOT_CLOSED : TOO_LONG });
      return false;
    }
  }
  return { write: (chunk) => read(() => records.write(chunk)), end: () => read(records.end) };
}

/**
 * @throws ApiError 400 for unknown columns, and for duplicate columns, because the second would
 * replace the first.
 */
function requireFields(names: readonly string[], fields: ReadonlySet<string>): void {
  const unknown = names.filter((name) => !fields.has(name));
  const duplicates = names.filter((name, at) => fields.has(name) && names.indexOf(name) !== at);
  if (unknown.length + duplicates.length === 0) return;
  const errors: FieldError[] = [
    ...unknown.map((name) => ({ path: name, message: "Unknown field. Remove this column." })),
    ...duplicates.map((name) => ({
      path: name,
      message: "The header contains this column twice.",
    })),
  ];
  const reported = errors
    .slice(0, COLUMNS_REPORTED)
    .map(({ path, message }) => ({ path: path.slice(0, COLUMN_REPORTED_LENGTH), message }));
  throw headerRefused(fields, reported);
}

function headerTooLong(fields: ReadonlySet<string>): ApiError {
  return headerRefused(fields, [{ path: "", message: "The header is too long." }]);
}

function headerRefused(fields: ReadonlySet<string>, errors: FieldError[]): ApiError {
  return new ApiError(
    "invalid_request",
    `The header can contain these columns, each once: ${[...fields].join(", ")}.`,
    { errors },
  );
}

/** @throws ApiError 400 for invalid UTF-8, which the decoder replaced with this character. */
function requireIntact(text: string): string {
  if (!text.includes("\uFFFD")) return text;
  throw invalidRequest([{ path: "", message: "This row isn't UTF-8. Save the file as UTF-8." }]);
}

/** An empty cell means that the field is missing. */
function fromCells(names: readonly string[], texts: readonly string[]): Record<string, unknown> {
  const cells = names
    .map((name, at) => [name, (texts[at] ?? "").trimEnd()] as const)
    .filter(([, cell]) => cell !== "");
  return Object.fromEntries(cells.map(([name, cell]) => [name, fromCell(name, cell)]));
}

function fromCell(name: string, cell: string): unknown {
  requireText(requireIntact(cell), () => name);
  if (NUMBERS.includes(name) && /^\d{1,16}$/.test(cell)) return Number(cell);
  return name === "details" ? parseJsonObject(cell) : cell;
}

function lineOf(number: number, read: () => Record<string, unknown>): Line {
  try {
    return { number, value: read() };
  } catch (error) {
    if (error instanceof ApiError)
      return { number, fault: error.errors?.[0]?.message ?? error.message };
    throw error;
  }
}

async function* bounded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > FILE_MAX_BYTES)
      throw new ApiError("payload_too_large", "A file can be at most 64 MiB.");
    yield chunk;
  }
}
