import { uploadToApi } from "#components/api-client.ts";
import { withRetries } from "#components/kit/with-retries.ts";
import { importExceptionsContract } from "#lib/exceptions/import/contract.ts";
import { FORMATS, type Format, type Part, partsOf } from "./file-parts.ts";

/** A rejected row: its line number in the file, the reason, and its text. */
export type RefusedLine = { line: number; path: string; message: string; text: string };

export type Progress = {
  /** Finished parts: an import resumes after them. */
  parts: number;
  bytes: number;
  accepted: number;
  /** The accepted rows that an earlier attempt had already imported. */
  already: number;
  refused: RefusedLine[];
};

export const NO_PROGRESS: Progress = { parts: 0, bytes: 0, accepted: 0, already: 0, refused: [] };

/**
 * Imports a file part by part, starting at `progress`. Each part has its own key, derived from the
 * file's: a part whose response was lost, or a file chosen again, isn't imported twice.
 * @throws ApiProblem, or Error if the file can't be read. Finished parts stay imported.
 */
export async function runImport(
  {
    tenant,
    file,
    format,
    fileKey,
  }: { tenant: string; file: File; format: Format; fileKey: string },
  {
    progress,
    onProgress,
    signal,
  }: { progress: Progress; onProgress: (progress: Progress) => void; signal: AbortSignal },
): Promise<void> {
  let settled = progress;
  let number = 0;
  for await (const part of partsOf(file, format)) {
    number++;
    if (number <= settled.parts) continue;
    const upload = { type: FORMATS[format].mediaType, content: part.text };
    const call = { tenant, upload, idempotencyKey: `${fileKey}-${number}`, signal };
    const { data, replayed } = await withRetries(
      () => uploadToApi(importExceptionsContract, call),
      signal,
    );
    settled = {
      parts: number,
      bytes: settled.bytes + part.bytes,
      accepted: settled.accepted + data.accepted,
      already: settled.already + (replayed ? data.accepted : 0),
      refused:
        data.errors.length === 0
          ? settled.refused
          : [...settled.refused, ...refusedOf(data.errors, part)],
    };
    onProgress(settled);
    signal.throwIfAborted();
  }
}

function refusedOf(
  errors: { line: number; path: string; message: string }[],
  { records, lineOffset }: Part,
): RefusedLine[] {
  return errors
    .map(({ line, path, message }) => {
      const inFile = line + lineOffset;
      return {
        line: inFile,
        path,
        message,
        text: records.find(({ lastLine }) => lastLine >= inFile)?.text ?? "",
      };
    })
    .sort((left, right) => left.line - right.line);
}

/**
 * A key that is the same for the same content in any session. Over plain http there is no
 * SubtleCrypto, so it is built from the file's metadata.
 */
export async function fileKeyOf(file: File): Promise<string> {
  if (crypto.subtle === undefined)
    return `${file.size}-${file.lastModified}-${encodeURIComponent(file.name).slice(0, 120)}`;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
