import { Readable } from "node:stream";
import { parse } from "csv-parse";
import { ApiError, type FieldError, invalidRequest } from "../../wire/errors.ts";
import { parseJsonObject } from "../../wire/json-object.ts";
import { requireText } from "../../wire/text.ts";

const FILE_MAX_BYTES = 64 * 1024 * 1024;
const ROWS_MAX = 100_000;
/** Ten times the length of a valid row. Parsing a row as long as a file would take gigabytes. */
const LINE_MAX_LENGTH = 256 * 1024;
/**
 * The limit on a CSV record's bytes: the length above doesn't count separators, and each empty cell
 * costs memory.
 */
const RECORD_MAX_BYTES = 1024 * 1024;
const NUMBERS = ["amount_minor"];
const COLUMNS_REPORTED = 100;
const COLUMN_REPORTED_LENGTH = 100;

const TOO_LONG = "This row is too long. It and every row after it were skipped.";
const NOT_CLOSED =
  "A quotation mark in this row is never closed. It and every row after it were skipped.";

/** A row of a file, numbered from 1, with its value or its error. */
export type Line = { number: number; value?: Record<string, unknown>; fault?: string };

/**
 * Whether rows are still parsed. The rest of the file is read anyway, because responding earlier
 * would break the connection. `look` is called before each further chunk.
 */
type Rest = { wanted: boolean; look?: () => void };

/**
 * Streams the rows of NDJSON, or of CSV whose header names some of the `fields`. Rows over 100,000
 * are read but not parsed. @throws ApiError `payload_too_large` over 64 MiB; `invalid_request` if
 * the header names an unknown field or a field twice
 */
export async function* readLines(
  mediaType: string,
  chunks: AsyncIterable<Uint8Array>,
  fields: ReadonlySet<string>,
): AsyncGenerator<Line> {
  const rest = { wanted: true };
  const bytes = Readable.from(bounded(chunks, rest), { objectMode: false });
  let rows = 0;
  for await (const line of mediaType === "text/csv"
    ? readCsv(bytes, rest, fields)
    : readNdjson(bytes)) {
    rows++;
    if (rows <= ROWS_MAX) yield line;
    else if (rows === ROWS_MAX + 1) {
      rest.wanted = false;
      yield {
        number: line.number,
        fault:
          "A file can have at most 100,000 rows. This row and every row after it were skipped.",
      };
    }
  }
}

async function* readNdjson(bytes: Readable): AsyncGenerator<Line> {
  let number = 0;
  for await (const lines of linesOf(bytes)) {
    for (const text of lines) {
      number++;
      if (text === null) yield { number, fault: "This row is too long." };
      else if (text.trim() !== "") yield lineOf(number, () => parseJsonObject(requireIntact(text)));
    }
  }
}

/**
 * Splits at line feeds only: JSON text may contain Unicode's other line separators, at which
 * node:readline would break. The lines of a chunk are yielded together, because awaiting each of
 * millions of empty lines would block other calls. Null stands for a line that is too long to
 * buffer.
 */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<(string | null)[]> {
  const decoder = new TextDecoder("utf-8");
  let parts: string[] = [];
  let length = 0;
  const extend = (part: string) => {
    length += part.length;
    if (length > LINE_MAX_LENGTH) parts = [];
    else parts.push(part);
  };
  const close = () => {
    const line = length > LINE_MAX_LENGTH ? null : parts.join("");
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of bytes) {
    const [end = "", ...more] = decoder.decode(chunk, { stream: true }).split("\n");
    extend(end);
    yield more.map((begin) => {
      const line = close();
      extend(begin);
      return line;
    });
  }
  extend(decoder.decode());
  yield [close()];
}

async function* readCsv(
  bytes: Readable,
  rest: Rest,
  fields: ReadonlySet<string>,
): AsyncGenerator<Line> {
  const faultyLines: Line[] = [];
  let lastLine = 1;
  let endOfRecord = 0;
  let hasHeader = false;
  const parser = parse({
    bom: true,
    columns(header: string[]) {
      if (!rest.wanted) throw headerTooLong(fields);
      hasHeader = true;
      endOfRecord = parser.info.bytes;
      const names = header.map((name) => name.trim());
      requireFields(names, fields);
      return names;
    },
    info: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: LINE_MAX_LENGTH,
    // A quotation mark inside a text is literal: it neither starts nor ends a cell.
    relax_quotes: true,
    ltrim: true,
    on_record: (record, { lines }) => {
      lastLine = lines;
      endOfRecord = parser.info.bytes;
      return record;
    },
    on_skip: (error) => {
      if (!rest.wanted) return undefined;
      endOfRecord = parser.info.bytes;
      const tooLong = error?.code === "CSV_MAX_RECORD_SIZE";
      const isOpen = error?.code === "CSV_QUOTE_NOT_CLOSED";
      const fault = tooLong
        ? TOO_LONG
        : isOpen
          ? NOT_CLOSED
          : "This row has a different number of cells than the header.";
      const lines = Number(error?.lines ?? 0);
      faultyLines.push({ number: isOpen ? lastLine + 1 : lines, fault });
      lastLine = lines;
      rest.wanted = !tooLong && faultyLines.length <= ROWS_MAX;
      return undefined;
    },
  });
  rest.look = () => {
    if (parser.info.bytes - endOfRecord <= RECORD_MAX_BYTES) return;
    faultyLines.push({ number: lastLine + 1, fault: TOO_LONG });
    rest.wanted = false;
  };
  bytes.on("error", (error) => parser.destroy(error));
  try {
    for await (const { record, info } of bytes.pipe(parser) as AsyncIterable<{
      record: Record<string, string>;
      info: { lines: number };
    }>) {
      yield* faultyLines.splice(0);
      yield lineOf(info.lines, () => fromCells(record));
    }
  } catch (error) {
    // Read to its end, because responding earlier would break the connection.
    rest.wanted = false;
    for await (const _ of bytes);
    throw error;
  }
  if (!hasHeader && !rest.wanted) throw headerTooLong(fields);
  yield* faultyLines;
}

/**
 * @throws ApiError 400 for unknown columns, and for duplicate columns, of which the second would
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
function fromCells(record: Record<string, string>): Record<string, unknown> {
  const cells = Object.entries(record)
    .map(([name, cell]) => [name, cell.trimEnd()] as const)
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

async function* bounded(bytes: AsyncIterable<Uint8Array>, rest: Rest): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > FILE_MAX_BYTES)
      throw new ApiError("payload_too_large", "A file can be at most 64 MiB.");
    if (rest.wanted) rest.look?.();
    if (rest.wanted) yield chunk;
  }
}
