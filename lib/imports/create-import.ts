import { createHash } from "node:crypto";
import type { z } from "zod";
import { read, write } from "../db/call.ts";
import { bindIdempotency } from "../request/bind-idempotency.ts";
import type { Context } from "../request/context.ts";
import { discard } from "../request/uploaded-bytes.ts";
import { ApiError, invalidRequest } from "../wire/errors.ts";
import { type createImportContract, IMPORT_MAX_BYTES, type Import } from "./contract.ts";
import { databaseMaxBytes, requireDiskSpace } from "./disk-space.ts";
import { evenChunks } from "./even-chunks.ts";
import type { Mapping } from "./formats/mapping.ts";
import { openFile } from "./opened-file.ts";
import { settleMapping } from "./settle-mapping.ts";

const DISK_CHECK_INTERVAL_BYTES = 64 * 1024 * 1024;

type Query = z.output<typeof createImportContract.query>;
export type File = { mediaType: string; stream: ReadableStream<Uint8Array>; length: number | null };
export type OpenedImport = {
  id: string | null;
  source: { currency: string; time_zone: string; mapping: Mapping | null };
};

/**
 * Stores an upload in chunks, which a matcher reads in the background. The `Location` header points
 * to the import. An incomplete upload leaves nothing behind.
 * @throws ApiError `invalid_request` if the body is in no format that we read, or its mapping
 *   leaves a question open; `payload_too_large`; `not_found`; `conflict` and `unavailable` if there
 *   is no space
 */
export async function createImport(
  ctx: Context,
  sourceId: string,
  query: Query,
  { stream, mediaType, length }: File,
): Promise<Import> {
  const file = await openFile(
    stream,
    {
      format: query.format,
      fileName: query.file_name,
      contentType: mediaType,
      mapping: query.mapping,
    },
    ctx.reply,
  );
  let opened: OpenedImport | undefined;
  const continuation = { ...ctx, continues: true };
  try {
    if (length !== null) requireSize(length);
    await requireDiskSpace(length ?? 0);
    const fileInfo = {
      source_id: sourceId,
      format: file.format,
      file_name: query.file_name ?? null,
      bytes: length,
    };
    opened = await read<OpenedImport>(ctx, "open_import", {
      ...fileInfo,
      database_max_bytes: databaseMaxBytes(),
    });
    const { mapping, questions } = await settleMapping(
      file,
      query.mapping ?? opened.source.mapping,
      opened.source.currency,
    );
    if (questions.length > 0)
      throw invalidRequest(
        questions.map(({ about, message }) => ({ path: `mapping.${about}`, message })),
      );
    const { bytes, digest } = await storeChunks(continuation, opened.id as string, file.bytes);
    const created = await write<Import>(
      bindIdempotency(continuation, digest, [query.format, mapping]),
      "create_import",
      { id: opened.id, mapping, bytes, sha256: digest },
    );
    ctx.reply.set("Location", `/v1/imports/${created.id}`);
    return created;
  } catch (error) {
    await discard(file.bytes);
    if (opened?.id) await read(continuation, "drop_import", { id: opened.id }).catch(() => {});
    throw error;
  }
}

/** @returns the length of the file and its SHA-256 */
async function storeChunks(
  ctx: Context,
  id: string,
  file: AsyncIterable<Uint8Array>,
): Promise<{ bytes: number; digest: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  let seq = 0;
  let checkedBytes = 0;
  for await (const chunk of evenChunks(file)) {
    bytes += chunk.length;
    requireSize(bytes);
    if (bytes - checkedBytes >= DISK_CHECK_INTERVAL_BYTES) {
      await requireDiskSpace(0);
      checkedBytes = bytes;
    }
    hash.update(chunk);
    await read(ctx, "keep_import_chunk", {
      id,
      seq: seq++,
      bytes: chunk.toString("base64"),
      database_max_bytes: databaseMaxBytes(),
    });
  }
  return { bytes, digest: hash.digest("hex") };
}

function requireSize(bytes: number): void {
  if (bytes > IMPORT_MAX_BYTES)
    throw new ApiError("payload_too_large", "A file can have at most 1 GiB. Nothing was stored.");
}
