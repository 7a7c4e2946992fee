import { setImmediate as nextTurn } from "node:timers/promises";
import { readBai2 } from "./bai2/bai2.ts";
import { readCamt } from "./camt/camt.ts";
import { readCsv } from "./csv/csv.ts";
import { delimiterOf } from "./csv/csv-layout.ts";
import { decoderOf, detectingDecoder, encodingOf, requireReadable } from "./encoding.ts";
import { readJson } from "./json/json.ts";
import { readNdjson } from "./json/ndjson.ts";
import type { ImportLine, Summary } from "./line.ts";
import { LineCollector } from "./line-collector.ts";
import { type Encoding, FORMAT_TRAITS, type Format, type Mapping } from "./mapping.ts";
import { readMt940 } from "./mt940/mt940.ts";
import { readOfx } from "./ofx/ofx.ts";
import { HEAD_BYTES, type Reader, type Reading } from "./reader.ts";
import { type Refusal, refuseFile } from "./refusal.ts";

const PIECE_BYTES = 16 * 1024;
const BATCH_LINES = 1_000;
/** A batch is yielded at least this often, so that progress shows even if nothing is read. */
const BATCH_BYTES = 4 * 1024 * 1024;
const YIELD_INTERVAL_MS = 5;
const MAX_BYTES = 1024 * 1024 * 1024;
const MAX_LINES = 5_000_000;

export type ReadOptions = {
  format: Format;
  /**
   * For CSV, where `fields` is required, and for NDJSON and JSON, whose fields have the API's names
   * unless the mapping says otherwise.
   */
  mapping?: Mapping;
  /** ISO 4217: for lines that name no currency. */
  currency?: string;
  /** IANA name, UTC by default. A time in UTC falls on the day in this zone. */
  time_zone?: string;
  /** Detected from the first 64 KiB unless given here or in the mapping. */
  encoding?: Encoding;
  /** 1 GiB and 5 million lines by default. */
  limits?: { bytes?: number; lines?: number };
};

export type Batch = { lines: ImportLine[]; refusals: Refusal[]; bytes_read: number };

export type Lines = AsyncIterable<Batch> & {
  /** What was read so far; final once the batches have ended. */
  readonly summary: Summary;
};

/**
 * Reads a bank's or a ledger's file as a stream. Batches have about 1,000 lines; the next chunk is
 * requested only after the caller has taken the last batch, so memory is constant and the caller
 * sets the pace. It yields to the event loop every few milliseconds. The same bytes give the same
 * lines in the same order, however they are split into chunks, so that an interrupted reader can
 * skip the lines it has. Lines that cannot be read are refusals in the batches, the first 1,000 of
 * them in words; `summary.refused_count` counts all.
 * @throws FileRefused after the last batch, if the file as a whole cannot be read to its end:
 *   nothing of it should be stored.
 */
export function readLines(chunks: AsyncIterable<Uint8Array>, options: ReadOptions): Lines {
  const out = new LineCollector(options.limits?.lines ?? MAX_LINES);
  return {
    [Symbol.asyncIterator]: () => readBatches(chunks, options, out),
    get summary() {
      return out.summary();
    },
  };
}

async function* readBatches(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadOptions,
  out: LineCollector,
): AsyncGenerator<Batch> {
  const maxBytes = options.limits?.bytes ?? MAX_BYTES;
  let yieldedAt = performance.now();
  let batchedBytes = 0;
  let open:
    | { reader: Reader; decode: (bytes: Uint8Array) => string; end: () => string }
    | undefined;
  try {
    for await (const chunk of withWholeHead(chunks)) {
      open ??= openReader(chunk, options, out);
      for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
        const piece = chunk.subarray(from, from + PIECE_BYTES);
        out.bytesRead += piece.length;
        if (out.bytesRead > maxBytes)
          throw refuseFile(
            { line: 1 },
            null,
            "The file is too large.",
            "",
            `at most ${maxBytes} bytes`,
          );
        feed(open.reader, open.decode(piece), out);
        if (out.size >= BATCH_LINES || out.bytesRead - batchedBytes >= BATCH_BYTES) {
          batchedBytes = out.bytesRead;
          yield out.takeBatch();
        }
        if (performance.now() - yieldedAt < YIELD_INTERVAL_MS) continue;
        await nextTurn();
        yieldedAt = performance.now();
      }
    }
    if (!open) throw refuseFile({ line: 1 }, null, "The file is empty.", "", "a file with lines");
    feed(open.reader, open.end(), out);
    open.reader.end();
  } catch (error) {
    if (out.size > 0) yield out.takeBatch();
    throw error;
  }
  yield out.takeBatch();
}

function openReader(head: Uint8Array, options: ReadOptions, out: LineCollector) {
  const start = head.subarray(0, HEAD_BYTES);
  const { fields, declaresEncoding } = FORMAT_TRAITS[options.format];
  const mapped = declaresEncoding ? undefined : options.mapping?.encoding;
  const chosen = options.encoding ?? mapped;
  const found = chosen ? undefined : encodingOf(start);
  if (found) requireReadable(found);
  const { encoding, isUndecided } = found ?? { encoding: chosen ?? "utf-8", isUndecided: false };
  out.sheet = options.mapping?.sheet;
  const reading: Reading = {
    out,
    currency: options.currency,
    timeZone: options.time_zone ?? "UTC",
    mapping: options.mapping,
    delimiter:
      fields === "columns"
        ? (options.mapping?.delimiter ?? delimiterOf(decoderOf(encoding).decode(start)))
        : ",",
  };
  return {
    reader: READERS[options.format](reading),
    ...(isUndecided ? detectingDecoder() : decoderOf(encoding)),
  };
}

/** The reader of each format. */
const READERS: Record<Format, (reading: Reading) => Reader> = {
  csv: readCsv,
  json: readJson,
  // A JSON document on one line looks like NDJSON: only the mapping says that its lines are under a
  // path.
  ndjson: (reading) =>
    reading.mapping?.lines_path === undefined ? readNdjson(reading) : readJson(reading),
  "camt.052": (reading) => readCamt(reading, "camt.052"),
  "camt.053": (reading) => readCamt(reading, "camt.053"),
  "camt.054": (reading) => readCamt(reading, "camt.054"),
  mt940: (reading) => readMt940(reading, "mt940"),
  mt942: (reading) => readMt940(reading, "mt942"),
  bai2: readBai2,
  ofx: readOfx,
};

function feed(reader: Reader, text: string, out: LineCollector): void {
  if (text === "") return;
  if (!out.isSuspect)
    out.isSuspect = text.includes("\uFFFD") || text.includes("\0") || !text.isWellFormed();
  reader.read(text);
}

/**
 * The same bytes, with the whole head as the first chunk: what is inferred from it must not depend
 * on how the file arrived.
 */
async function* withWholeHead(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array[] | null = [];
  let size = 0;
  for await (const chunk of chunks) {
    if (head === null) {
      yield chunk;
      continue;
    }
    head.push(chunk);
    size += chunk.length;
    if (size < HEAD_BYTES) continue;
    yield Buffer.concat(head);
    head = null;
  }
  if (head !== null && size > 0) yield Buffer.concat(head);
}
