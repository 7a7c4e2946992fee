import { pipeline, Readable } from "node:stream";
import { createGunzip, constants as zlib } from "node:zlib";
import { uploadedBytes } from "../request/uploaded-bytes.ts";
import { type ApiError, invalidRequest } from "../wire/errors.ts";
import { PREVIEW_MAX_BYTES } from "./contract.ts";
import { type Detection, detect, type Hint } from "./formats/detect.ts";
import { decoderOf, encodingOf } from "./formats/encoding.ts";
import { HeadedChunks } from "./formats/files/chunks.ts";
import { HTML_MAX_BYTES, htmlWorkbook, mayBeHtmlTable } from "./formats/files/html-table.ts";
import {
  openWorkbook,
  sheetCsv,
  WORKBOOK_MAX_BYTES,
  type Workbook,
} from "./formats/files/workbook.ts";
import { openZip, readEntry } from "./formats/files/zip.ts";
import { FORMAT_TRAITS, type Format, type Mapping } from "./formats/mapping.ts";
import { HEAD_BYTES } from "./formats/reader.ts";
import { FileRefused, refuseFile } from "./formats/refusal.ts";

/**
 * The size of the head of a CSV file from which its columns are inferred, in an import and in its
 * preview.
 */
const CSV_HEAD_BYTES = PREVIEW_MAX_BYTES;
/** The maximum size of an unpacked file. */
const UNPACKED_MAX_BYTES = 1024 ** 3;
/** The maximum number of nested archives: a zip within a gzip. */
const MAX_LAYERS = 2;

type Stream = ReadableStream<Uint8Array>;

/**
 * A file whose head was read: what was detected from the head, and all of the file's bytes,
 * including the head.
 */
export type OpenedFile = {
  format: Format;
  detection: Detection | null;
  /** The beginning of a CSV file. */
  head: { bytes: Uint8Array; isWhole: boolean };
  /** Yields the bytes of a sheet, as CSV, once one is chosen. */
  workbook: { sheets: Workbook["sheets"]; choose: (name: string) => void } | null;
  bytes: AsyncGenerator<Uint8Array, void>;
};

type OpenOptions = {
  format?: Format | undefined;
  fileName?: string | undefined;
  contentType: string;
  mapping?: Mapping | undefined;
  /** Whether the stream may be only the start of the file. */
  isPart?: boolean;
};

/**
 * Reads the head of a file and detects its format, unless `format` states it. Unpacks gzip and zip.
 * @throws ApiError `invalid_request` with a plain explanation for a file in a format that we don't
 *   read
 */
export async function openFile(
  stream: Stream,
  options: OpenOptions,
  reply: Headers,
): Promise<OpenedFile> {
  const raw = uploadedBytes(stream, reply);
  try {
    return await openRaw(raw, options);
  } catch (error) {
    await raw.next();
    await raw.return();
    throw error instanceof FileRefused ? refusedFile(error) : error;
  }
}

async function openRaw(
  raw: AsyncGenerator<Uint8Array, void>,
  options: OpenOptions,
): Promise<OpenedFile> {
  let chunks = new HeadedChunks(raw);
  let { fileName = "" } = options;
  for (let layer = 0; ; layer++) {
    const start = await chunks.head(HEAD_BYTES);
    if (layer < MAX_LAYERS && start[0] === 0x1f && start[1] === 0x8b) {
      chunks = new HeadedChunks(gunzip(chunks.all(), fileName, options.isPart ?? false));
      fileName = fileName.replace(/\.gz$/i, "");
    } else if (layer < MAX_LAYERS && Buffer.from(start.subarray(0, 4)).equals(ZIP_SIGNATURE)) {
      const zip = await openZip(await contentOf(chunks, fileName, WORKBOOK_MAX_BYTES), fileName);
      if (zip.entries.has("xl/workbook.xml"))
        return workbookFile(await openWorkbook(zip), fileName, raw);
      const [entry, ...others] = [...zip.entries.values()].filter(
        ({ fileName: name }) => !/^__MACOSX\/|(?:^|\/)\./.test(name),
      );
      if (
        !entry ||
        others.length > 0 ||
        zip.entries.has("mimetype") ||
        zip.entries.has("[Content_Types].xml")
      )
        break;
      chunks = new HeadedChunks(readEntry(zip, entry, UNPACKED_MAX_BYTES));
      fileName = entry.fileName;
    } else break;
  }
  const hasColumns =
    options.format === undefined || FORMAT_TRAITS[options.format].fields === "columns";
  const start = (await chunks.head(HEAD_BYTES)).subarray(0, HEAD_BYTES);
  if (hasColumns) {
    const html = await htmlTableOf(chunks, start, fileName);
    if (html) return workbookFile(html, fileName, raw);
  }
  const detection = hasColumns ? detect(start, hintOf(options, fileName)) : null;
  const csv = detection?.format === "csv" ? detection : null;
  // One more byte shows whether the file continues.
  const head = csv ? await chunks.head(CSV_HEAD_BYTES + 1) : start;
  return {
    format: options.format ?? detection?.format ?? "csv",
    detection: csv,
    head: { bytes: head.subarray(0, CSV_HEAD_BYTES), isWhole: chunks.isWhole },
    workbook: null,
    bytes: thenDiscard(chunks.all(), raw),
  };
}

const ZIP_SIGNATURE = Buffer.from("PK\x03\x04");

/** Yields the chunks, then discards the rest of the request's body. */
async function* thenDiscard(
  chunks: AsyncIterable<Uint8Array>,
  raw: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* chunks;
  } catch (error) {
    throw error instanceof FileRefused ? refusedFile(error) : error;
  } finally {
    await raw.return();
  }
}

function workbookFile(
  { sheets }: Workbook,
  fileName: string,
  raw: AsyncGenerator<Uint8Array, void>,
): OpenedFile {
  if (sheets.length === 0)
    throw refuseFile(
      { line: 1 },
      null,
      "The workbook has no sheet.",
      fileName,
      "a sheet with rows",
    );
  let chosen: Workbook["sheets"][number] | undefined;
  async function* bytes() {
    if (chosen) yield* sheetCsv(chosen);
  }
  return {
    format: "csv",
    detection: null,
    head: { bytes: new Uint8Array(), isWhole: true },
    workbook: {
      sheets,
      choose(name) {
        chosen = sheets.find((sheet) => sheet.name === name);
      },
    },
    bytes: thenDiscard(bytes(), raw),
  };
}

async function* gunzip(
  chunks: AsyncIterable<Uint8Array>,
  fileName: string,
  isPart: boolean,
): AsyncGenerator<Uint8Array, void> {
  // Part of an archive is unpacked as far as it goes, because its end may be missing.
  const options = isPart ? { finishFlush: zlib.Z_SYNC_FLUSH } : {};
  const unpacked = pipeline(Readable.from(chunks), createGunzip(options), () => {});
  let size = 0;
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > UNPACKED_MAX_BYTES)
        throw refuseFile(
          { line: 1 },
          null,
          "The file is too large once it is unpacked.",
          fileName,
          "at most 1 GiB",
        );
      yield chunk;
    }
  } catch (error) {
    if (error instanceof FileRefused) throw error;
    const { message } = error as Error;
    throw refuseFile(
      { line: 1 },
      null,
      `The gzip archive can't be unpacked: ${message}.`,
      fileName,
      "a whole archive",
    );
  }
}

/** @throws FileRefused if it is larger, because it must fit into memory */
async function contentOf(
  chunks: HeadedChunks,
  fileName: string,
  maxBytes: number,
): Promise<Buffer> {
  const content = await chunks.head(maxBytes + 1);
  if (content.length > maxBytes)
    throw refuseFile(
      { line: 1 },
      null,
      "The archive or workbook is too large.",
      fileName,
      `at most ${maxBytes / 1024 ** 2} MiB, or its rows as CSV`,
    );
  return Buffer.from(content);
}

/**
 * A web page with a table, as a workbook; null for other files, including pages without a table.
 */
async function htmlTableOf(
  chunks: HeadedChunks,
  start: Uint8Array,
  fileName: string,
): Promise<Workbook | null> {
  const { encoding } = encodingOf(start);
  const beginning = decoderOf(encoding).decode(start);
  if (!mayBeHtmlTable(beginning) || !/<table[\s>]/i.test(beginning)) return null;
  if (!/<td[\s>]/i.test(beginning)) return null;
  const content = await contentOf(chunks, fileName, HTML_MAX_BYTES);
  return htmlWorkbook(decoderOf(encoding).decode(content));
}

function hintOf({ format, contentType, mapping }: OpenOptions, fileName: string): Hint {
  return {
    ...(fileName !== "" && { fileName }),
    contentType: format === "csv" ? "text/csv" : contentType,
    ...(mapping && { layout: mapping }),
  };
}

export function refusedFile({ refusal }: FileRefused): ApiError {
  return invalidRequest([{ path: refusal.field ?? "", message: refusal.message }]);
}
