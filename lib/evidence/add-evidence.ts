import { createHash } from "node:crypto";
import type { z } from "zod";
import { read, write } from "../db/call.ts";
import { bindIdempotency } from "../request/bind-idempotency.ts";
import type { Context } from "../request/context.ts";
import { discard, uploadedBytes } from "../request/uploaded-bytes.ts";
import { tagged } from "../request/versions.ts";
import { singleton } from "../runtime/singleton.ts";
import { TenantLimiter } from "../runtime/tenant-limiter.ts";
import { runQueued } from "../runtime/tenant-queue.ts";
import { ApiError, ERRORS } from "../wire/errors.ts";
import { type addEvidenceContract, EVIDENCE_MAX_BYTES, type Evidence } from "./contract.ts";
import { currentStore } from "./evidence-store.ts";
import { evidenceTypeOf, namedByType } from "./evidence-type.ts";

type Query = z.output<typeof addEvidenceContract.query>;
type File = { stream: ReadableStream<Uint8Array>; length: number | null };

/**
 * Limits concurrent uploads, because each file is in memory more than twice: as sent, and in
 * base64.
 */
const uploads = () =>
  singleton(
    "evidence-uploads",
    () =>
      new TenantLimiter({
        total: 6,
        waitTimeoutMs: 60_000,
        kinds: {
          upload: {
            perTenant: 2,
            waiting: { max: 50, tooMany: "Your tenant sends too many files at once." },
          },
        },
      }),
  );

/**
 * Stores a file with its subject.
 * @throws ApiError `invalid_request` for content that isn't accepted as evidence,
 * `payload_too_large`, `not_found`, `conflict`, `rate_limited`, `unavailable`
 */
export async function addEvidence(
  ctx: Context,
  { subject_id, file_name, supersedes }: Query,
  { stream, length }: File,
): Promise<Evidence> {
  const bytes = uploadedBytes(stream, ctx.reply);
  const about = { subject_id, supersedes: supersedes ?? null };
  try {
    requireSize(length ?? 0);
    const { id } = await read<{ id: string }>(ctx, "open_evidence", { subject_id });
    return await uploads().run(ctx.tenantId, "upload", async () => {
      const content = await readWhole(bytes);
      const { media_type, sha256 } = await runQueued(ctx.tenantId, () => factsOf(content));
      return store(ctx, content, {
        ...about,
        id,
        media_type,
        file_name: namedByType(file_name, media_type),
        bytes: content.length,
        sha256,
      });
    });
  } finally {
    await discard(bytes);
  }
}

async function factsOf(content: Buffer) {
  const media_type = await evidenceTypeOf(content);
  if (media_type === null) throw unsuitable(content);
  return { media_type, sha256: createHash("sha256").update(content).digest("hex") };
}

/**
 * Stores the content, and lets the database add the file. If no file was added, the content is
 * removed, unless it is unknown whether one was.
 */
async function store(
  ctx: Context,
  content: Buffer,
  file: { id: string; sha256: string; [field: string]: unknown },
): Promise<Evidence> {
  const evidenceStore = currentStore();
  const next = bindIdempotency({ ...ctx, continues: true }, file.sha256);
  const stored = await evidenceStore.store(ctx, file.id, content);
  try {
    const added = await write<Evidence>(next, "add_evidence", { ...file, ...stored });
    if (added.id !== file.id) await evidenceStore.remove(ctx, file.id);
    ctx.reply.set("Location", `/v1/evidence/${added.id}`);
    return tagged(ctx, added);
  } catch (error) {
    const isRefused = error instanceof ApiError && ERRORS[error.code].status < 500;
    if (isRefused) await evidenceStore.remove(ctx, file.id).catch(() => {});
    throw error;
  }
}

async function readWhole(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    requireSize(size);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function requireSize(bytes: number): void {
  if (bytes > EVIDENCE_MAX_BYTES)
    throw new ApiError("payload_too_large", "A file of evidence may have at most 10 MiB.");
}

function unsuitable({ length }: Buffer): ApiError {
  const message =
    length === 0
      ? "The file is empty."
      : "Evidence is a PDF, an image, an Excel workbook " +
        "without macros, CSV, an email or plain text.";
  return new ApiError("invalid_request", message, { errors: [{ path: "", message }] });
}
