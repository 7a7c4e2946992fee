import { type ApiError, invalidRequest } from "../wire/errors.ts";
import { type Detection, detect, type Hint } from "./formats/detect.ts";
import type { Format, Mapping } from "./formats/mapping.ts";
import { HEAD_BYTES } from "./formats/read-lines.ts";
import { FileRefused } from "./formats/refusal.ts";

/** A client that is refused waits for its body to be taken; of a longer one the connection is given up. */
const DISCARDED_MAX_BYTES = 8 * 1024 * 1024;

type Stream = ReadableStream<Uint8Array>;
export type Question = Detection["questions"][number];

/** A file that begins to come: what its head says, and all of its bytes, the head's again first. */
export type OpenedFile = {
  format: Format;
  detection: Detection | null;
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
  for (let size = 0; size < HEAD_BYTES; ) {
    const { value } = await reader.read();
    if (!value) break;
    head.push(value);
    size += value.length;
  }
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
    return {
      format: hint.format ?? detection?.format ?? "csv",
      detection: detection?.format === "csv" ? detection : null,
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
 * By what a file of columns is read: what the mapping says, and of what it leaves open, what the file's head shows. `questions`: what
 * neither says.
 */
export function settle(
  detection: Detection | null,
  given: Mapping | null,
): { mapping: Mapping | null; questions: Question[] } {
  if (!detection?.csv) return { mapping: given, questions: [] };
  const shown = detection.csv.mapping;
  if (!given) return { mapping: shown, questions: detection.questions };
  const named = Object.keys(given.fields);
  const fields = named.length > 0 ? given.fields : shown.fields;
  const questions = detection.questions.filter(({ about }) => !answers(about, given));
  return { mapping: { ...shown, ...given, fields }, questions };
}

const AMOUNTS = ["amount", "amount_minor", "debit", "credit"] as const;
const DATES = ["value_date", "booked_date"] as const;

function answers(about: string, { fields, ...rest }: Mapping): boolean {
  if (about === "fields.amount") return AMOUNTS.some((field) => fields[field] !== undefined);
  if (about === "fields.value_date") return DATES.some((field) => fields[field] !== undefined);
  return rest[about as keyof typeof rest] !== undefined;
}
