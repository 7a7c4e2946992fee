import type { z } from "zod";
import { read } from "../db/call.ts";
import type { Context } from "../request/context.ts";
import { discard } from "../request/uploaded-bytes.ts";
import { type createImportContract, type ImportPreview, PREVIEW_MAX_BYTES } from "./contract.ts";
import type { File, OpenedImport } from "./create-import.ts";
import type { ImportLine } from "./formats/line.ts";
import type { Format } from "./formats/mapping.ts";
import { readLines } from "./formats/read-lines.ts";
import { FileRefused, type Refusal } from "./formats/refusal.ts";
import { openFile } from "./opened-file.ts";
import { describeRefusal, MAX_REPORTED_REFUSALS, NOTHING_STORED, outcomeOf } from "./outcome.ts";
import { settleMapping } from "./settle-mapping.ts";

const MAX_SHOWN_LINES = 10;
const MAX_CHECKED_LINES = 1_000;

type Query = z.output<typeof createImportContract.query>;

/**
 * Reads the first MiB of a file and reports what an import would do, without storing anything.
 * @throws ApiError `invalid_request`, `not_found`
 */
export async function previewImport(
  ctx: Context,
  sourceId: string,
  query: Query,
  { stream, mediaType }: File,
): Promise<ImportPreview> {
  const file = await openFile(
    stream,
    {
      format: query.format,
      fileName: query.file_name,
      contentType: mediaType,
      mapping: query.mapping,
      isPart: true,
    },
    ctx.reply,
  );
  try {
    const { source } = await read<OpenedImport>(ctx, "open_import", {
      source_id: sourceId,
      preview: true,
    });
    const { mapping, questions, csv } = await settleMapping(
      file,
      query.mapping ?? source.mapping,
      source.currency,
    );
    const options = {
      format: file.format,
      currency: source.currency,
      time_zone: source.time_zone,
      ...(mapping && { mapping }),
    };
    const lines = readLines(questions.length > 0 ? noBytes() : firstBytes(file.bytes), options);
    const found =
      questions.length > 0
        ? { first: [], refusals: [], failure: null, complete: true }
        : await readAll(lines);
    const duplicates = await duplicatesOf(
      { ...ctx, continues: true },
      sourceId,
      file.format,
      found.first,
    );
    const outcome = outcomeOf(lines.summary);
    const isRead = questions.length === 0 && found.failure === null && found.complete;
    const isNothingNew = isRead && outcome.read_count === duplicates.size;
    return {
      format: file.format,
      version: file.detection?.version ?? null,
      encoding: file.detection ? (mapping?.encoding ?? file.detection.encoding) : null,
      columns: csv?.columns ?? null,
      mapping,
      questions: questions.slice(0, 100),
      ...outcome,
      warnings: [...(isNothingNew ? [NOTHING_STORED] : []), ...outcome.warnings],
      refusals: found.refusals.slice(0, MAX_REPORTED_REFUSALS).map(describeRefusal),
      lines: found.first
        .slice(0, MAX_SHOWN_LINES)
        .map((line, index) => linePreview(line, duplicates.has(index))),
      duplicate_count: duplicates.size,
      checked_count: found.first.length,
      failure: found.failure,
      complete: found.complete,
    };
  } finally {
    await discard(file.bytes);
  }
}

class PreviewLimitReached extends Error {}

async function* firstBytes(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let remaining = PREVIEW_MAX_BYTES;
  for await (const chunk of bytes) {
    if (chunk.length > remaining) {
      yield chunk.subarray(0, remaining);
      throw new PreviewLimitReached();
    }
    remaining -= chunk.length;
    yield chunk;
  }
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}

async function readAll(lines: ReturnType<typeof readLines>) {
  const first: ImportLine[] = [];
  const refusals: Refusal[] = [];
  try {
    for await (const batch of lines) {
      first.push(...batch.lines.slice(0, MAX_CHECKED_LINES - first.length));
      refusals.push(...batch.refusals.slice(0, MAX_REPORTED_REFUSALS - refusals.length));
    }
    return { first, refusals, failure: null, complete: true };
  } catch (error) {
    if (error instanceof PreviewLimitReached)
      return { first, refusals, failure: null, complete: false };
    if (error instanceof FileRefused)
      return {
        first,
        refusals: [error.refusal, ...refusals],
        failure: error.message,
        complete: true,
      };
    throw error;
  }
}

async function duplicatesOf(
  ctx: Context,
  sourceId: string,
  format: Format,
  lines: ImportLine[],
): Promise<Set<number>> {
  if (lines.length === 0) return new Set();
  const { positions } = await read<{ positions: number[] }>(ctx, "preview_import", {
    source_id: sourceId,
    format,
    lines: lines.map(({ position: _, ...line }) => line),
  });
  return new Set(positions);
}

function linePreview(
  { position, ...line }: ImportLine,
  duplicate: boolean,
): ImportPreview["lines"][number] {
  return {
    file_line: position.line,
    external_id: line.external_id ?? null,
    amount_minor: line.amount_minor,
    fee_minor: line.fee_minor ?? null,
    currency: line.currency,
    value_date: line.value_date,
    booked_date: line.booked_date ?? null,
    reference: line.reference ?? null,
    counterparty: line.counterparty ?? null,
    description: line.description ?? null,
    group_key: line.group_key ?? null,
    details: line.details,
    duplicate,
  };
}
