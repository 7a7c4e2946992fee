import { type ApiError, invalidRequest } from "../wire/errors.ts";
import { PREVIEW_MAX_BYTES } from "./contract.ts";
import { type Described, describeCsv } from "./formats/csv-mapping.ts";
import { type Detection, detect, type Hint } from "./formats/detect.ts";
import { decoderOf } from "./formats/encoding.ts";
import type { Format, Mapping } from "./formats/mapping.ts";
import { HEAD_BYTES } from "./formats/reader.ts";
import { FileRefused } from "./formats/refusal.ts";

/** A client that is refused waits for its body to be taken; of a longer one the connection is given up. */
const DISCARDED_MAX_BYTES = 8 * 1024 * 1024;

type Stream = ReadableStream<Uint8Array>;
export type Question = Detection["questions"][number];

/** As much of a CSV as its columns are judged by, in an import and in its preview. */
const CSV_HEAD_BYTES = PREVIEW_MAX_BYTES;

/** A file that begins to come: what its head says, and all of its bytes, the head's again first. */
export type OpenedFile = {
  format: Format;
  detection: Detection | null;
  /** Of CSV. */
  head: { bytes: Uint8Array; isWhole: boolean };
  bytes: AsyncGenerator<Uint8Array, void>;
};

/**
 * Reads a file's head and finds out what it is, unless `format` says so.
 * @throws ApiError `invalid_request` in plain words for what is no format of ours
 */
export async function openFile(
  stream: Stream,
  hint: {
    format?: Format | undefined;
    fileName?: string | undefined;
    contentType: string;
    mapping?: Mapping | undefined;
  },
  reply: Headers,
): Promise<OpenedFile> {
  const reader = stream.getReader();
  const head: Uint8Array[] = [];
  let size = 0;
  let isWhole = false;
  async function readUpTo(bytes: number) {
    while (size < bytes && !isWhole) {
      const { value } = await reader.read();
      if (value) head.push(value);
      size += value?.length ?? 0;
      isWhole = value === undefined;
    }
  }
  await readUpTo(HEAD_BYTES);
  async function* bytes() {
    try {
      yield* head;
      for (let next = await reader.read(); next.value; next = await reader.read()) yield next.value;
    } finally {
      // A reader that stops early discards the rest, within bounds.
      for (let left = DISCARDED_MAX_BYTES; left > 0; ) {
        const { value } = await reader.read().catch(() => ({ value: undefined }));
        if (!value) break;
        left -= value.length;
        if (left > 0) continue;
        reply.set("Connection", "close");
        await reader.cancel().catch(() => {});
      }
    }
  }
  const taken = bytes();
  try {
    const start = Buffer.concat(head);
    const isColumns = hint.format === undefined || hint.format === "csv";
    const detection = isColumns ? detect(start.subarray(0, HEAD_BYTES), hinted(hint)) : null;
    const csv = detection?.format === "csv" ? detection : null;
    // One byte more tells whether the file goes on.
    if (csv) await readUpTo(CSV_HEAD_BYTES + 1);
    return {
      format: hint.format ?? detection?.format ?? "csv",
      detection: csv,
      head: { bytes: Buffer.concat(head).subarray(0, CSV_HEAD_BYTES), isWhole },
      bytes: taken,
    };
  } catch (error) {
    await discard(taken);
    throw error instanceof FileRefused ? refusedFile(error) : error;
  }
}

function hinted({ format, fileName, contentType, mapping }: Parameters<typeof openFile>[1]): Hint {
  return {
    ...(fileName !== undefined && { fileName }),
    contentType: format === "csv" ? "text/csv" : contentType,
    ...(mapping && { layout: mapping }),
  };
}

/** Discards the rest of the body. */
export async function discard(bytes: AsyncGenerator<Uint8Array, void>): Promise<void> {
  await bytes.next();
  await bytes.return();
}

export function refusedFile({ refusal }: FileRefused): ApiError {
  return invalidRequest([{ path: refusal.field ?? "", message: refusal.message }]);
}

/**
 * By what a file of columns is read: what the mapping says, and of what it leaves open, what the
 * file's head shows. `questions`: what neither says; one at a time, as its answer may settle others.
 */
export function settle(
  { detection, head }: Pick<OpenedFile, "detection" | "head">,
  given: Mapping | null,
  currency: string,
): { mapping: Mapping | null; questions: Question[]; csv: Described["csv"] | null } {
  if (!detection?.csv) return { mapping: given, questions: [], csv: null };
  const { csv } = detection;
  const encoding = given?.encoding ?? detection.encoding;
  const described = describeCsv(
    decoderOf(encoding).decode(head.bytes),
    given?.delimiter ?? csv.delimiter,
    { mapping: given ?? undefined, currency, isWhole: head.isWhole },
  );
  if (!described)
    return {
      mapping: { ...csv.mapping, ...given, fields: given?.fields ?? {} },
      questions: [],
      csv,
    };
  const { csv: found, questions } = described;
  return { mapping: found.mapping, questions: questions.slice(0, 1), csv: found };
}
