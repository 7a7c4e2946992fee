import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { fileFaultOf } from "#lib/connections/refusal.ts";
import type { Remote, RemoteFile } from "#lib/connections/remote/remote.ts";
import { RemoteError, remoteError } from "#lib/connections/remote/remote-error.ts";
import { IMPORT_MAX_BYTES } from "#lib/imports/contract.ts";
import { evenChunks } from "#lib/imports/even-chunks.ts";
import { FORMAT_TRAITS, type Mapping } from "#lib/imports/formats/mapping.ts";
import { type OpenedFile, openFile } from "#lib/imports/opened-file.ts";
import { settleMapping } from "#lib/imports/settle-mapping.ts";
import { log } from "#lib/runtime/log.ts";
import type { FetchQueries, FetchSettings, Outcome } from "./queries.ts";

const MAX_SILENCE_MS = 60_000;
const TOO_LARGE = "A file may have at most 1 GiB.";
const BY_HAND =
  "Import one file by hand and save its mapping with the source, then choose Fetch now.";

/** The file can't be imported until the file or the source's mapping changes. */
class FileFault extends Error {}

/**
 * Fetches a file and counts it in the outcome of its fetch, or records why it can't be imported.
 * @throws RemoteError, and the database's errors
 */
export async function fetchFile(
  queries: FetchQueries,
  settings: FetchSettings,
  remote: Remote,
  file: RemoteFile,
  outcome: Outcome,
): Promise<void> {
  try {
    if ((await queueImport(queries, settings, remote, file)) === "importing") outcome.found++;
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    log.warn({ connection_id: settings.id, reason: error.message }, "a file was not imported");
    outcome.error ??= `${file.path}: ${error.message}`;
    outcome.needs_person = true;
  }
}

/**
 * Fetches a file and queues its import, in constant memory: parts are written to the database as
 * they arrive, and none is read before the last one is stored.
 * @throws FileFault, RemoteError, and the database's errors
 */
async function queueImport(
  queries: FetchQueries,
  { source }: Pick<FetchSettings, "source">,
  remote: Remote,
  file: RemoteFile,
): Promise<"importing" | "duplicate" | "known"> {
  const fileId = await queries.beginFile(file);
  const download = new Download(await remote.read(file));
  try {
    const opened = await openFile(
      Readable.toWeb(Readable.from(download.bytes())) as ReadableStream<Uint8Array>,
      {
        fileName: file.path,
        contentType: "application/octet-stream",
        mapping: source.mapping ?? undefined,
      },
      new Headers(),
    );
    const mapping = await requireKnownLayout(opened, source);
    const importId = await queries.openImport(fileId, opened.format, file.path);
    const bytes = await storeParts(queries, importId, opened.bytes);
    download.requireWhole(file);
    return await queries.finishFile(fileId, { mapping, bytes, sha256: download.sha256() });
  } catch (error) {
    download.rethrow();
    download.requireWhole(file);
    const fault = error instanceof FileFault ? error.message : fileFaultOf(error);
    if (fault === null) throw error;
    await queries.failFile(fileId, fault);
    throw new FileFault(fault);
  } finally {
    download.end();
  }
}

/** @returns the length of the stored content */
async function storeParts(
  queries: FetchQueries,
  importId: string,
  bytes: AsyncIterable<Uint8Array>,
): Promise<number> {
  let size = 0;
  let seq = 0;
  for await (const part of evenChunks(bytes)) {
    size += part.length;
    if (size > IMPORT_MAX_BYTES) throw new FileFault(TOO_LARGE);
    await queries.storePart(importId, seq++, part);
  }
  return size;
}

/**
 * @throws FileFault for columns without a mapping, or columns that have changed since they were
 *   mapped
 */
async function requireKnownLayout(
  opened: OpenedFile,
  { mapping: saved, currency }: FetchSettings["source"],
): Promise<Mapping | null> {
  const fields = Object.values(saved?.fields ?? {});
  if (FORMAT_TRAITS[opened.format].fields === "columns" && fields.length === 0)
    throw new FileFault(`The columns of this file aren't known yet. ${BY_HAND}`);
  const { mapping, questions, csv } = await settleMapping(opened, saved, currency);
  const names = csv?.columns.map(({ name }) => name) ?? fields;
  const missing = fields.filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new FileFault(
      `The layout of the file has changed: it has no column ${missing.join(", ")}. ${BY_HAND}`,
    );
  const [question] = questions;
  if (question)
    throw new FileFault(
      "The file leaves a question open that the mapping doesn't answer: " +
        `${question.message} ${BY_HAND}`,
    );
  return mapping;
}

/** Yields the bytes of a file as they arrive, and counts and hashes them. */
class Download {
  readonly #stream: Readable;
  readonly #hash = createHash("sha256");
  #size = 0;
  #isOver = false;
  #error: unknown;

  constructor(stream: Readable) {
    this.#stream = stream;
  }

  async *bytes(): AsyncGenerator<Buffer, void> {
    const silenceTimer = setTimeout(
      () => this.#stream.destroy(new RemoteError("The server stopped sending for a minute.")),
      MAX_SILENCE_MS,
    );
    try {
      for await (const chunk of this.#stream as AsyncIterable<Buffer>) {
        silenceTimer.refresh();
        this.#size += chunk.length;
        if (this.#size > IMPORT_MAX_BYTES) throw new FileFault(TOO_LARGE);
        this.#hash.update(chunk);
        yield chunk;
      }
      this.#isOver = true;
    } catch (error) {
      this.#error = error;
      throw error;
    } finally {
      clearTimeout(silenceTimer);
    }
  }

  /** Throws the server's error, if a reader failed because of it. */
  rethrow(): void {
    if (this.#error === undefined) return;
    if (!(this.#error instanceof FileFault)) throw remoteError(this.#error);
  }

  /** @throws RemoteError if the file ended with another size than the server listed */
  requireWhole({ bytes }: RemoteFile): void {
    if (this.#isOver && bytes !== null && this.#size !== bytes)
      throw new RemoteError("It changed while it was fetched.");
  }

  sha256(): string {
    return this.#hash.digest("hex");
  }

  end(): void {
    this.#stream.on("error", () => {}).destroy();
  }
}
