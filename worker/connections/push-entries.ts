import type { JobHelpers, Task } from "graphile-worker";
import { z } from "zod";
import type { SealedConnection } from "#lib/connections/credential.ts";
import { RemoteError } from "#lib/connections/remote/remote-error.ts";
import {
  type Entry,
  type EntryBatch,
  fileNameOf,
  PUSHED_FILES_MAX,
  partsOf,
} from "#lib/entries/contract.ts";
import type { EntryFile } from "#lib/entries/files/entry-file-writer.ts";
import { headerOf, rowsOf, splitIntoParts } from "#lib/entries/files/writers.ts";
import {
  type EntryFileSettings,
  FORMAT_FILES,
  type PushFormat,
} from "#lib/entries/rules/contract.ts";
import { withDefaultSettings } from "#lib/entries/rules/stored.ts";
import { log } from "#lib/runtime/log.ts";
import { ApiError } from "#lib/wire/errors.ts";
import { openConnection } from "./open-connection.ts";

const PUSH_TIMEOUT_MS = 15 * 60_000;
const TIMED_OUT = "The push took longer than 15 minutes.";
const ENTRIES_PER_PAGE = 1000;
/** The attempt from which a failure is reported, because servers may be down for a minute. */
const MIN_REPORTED_ATTEMPT = 3;

type Query = JobHelpers["query"];
type OpenedPush = {
  batch: EntryBatch;
  ledger: Partial<EntryFileSettings>;
  connection: SealedConnection | null;
};
/**
 * `failed`: the push is retried; `stopped`: it is retried only manually or after a change of the
 * entry rules.
 */
type Result = {
  state: "done" | "failed" | "stopped";
  files: string[];
  error: string | null;
  needs_person: boolean;
};
type Access = { allowHosts: ReadonlySet<string>; signal: AbortSignal };

const payload = z.object({ tenant_id: z.string(), batch_id: z.string() });

/**
 * Writes a batch to the server of the connection that its entry rules name. A failed push is shown
 * with the batch and the connection. It is retried unless only a change of the entry rules can fix
 * it. File names don't change between attempts, so files of an earlier attempt are replaced.
 */
export function pushEntryBatch(allowHosts: ReadonlySet<string>): Task {
  return async (jobPayload, { query, abortSignal, job }) => {
    const { tenant_id, batch_id } = payload.parse(jobPayload);
    const { rows } = await query<{ opened: OpenedPush | null }>(
      "select private.begin_entry_push($1, $2) as opened",
      [tenant_id, batch_id],
    );
    const opened = rows[0]?.opened;
    if (!opened) return;
    const signal = AbortSignal.any([
      AbortSignal.timeout(PUSH_TIMEOUT_MS),
      ...(abortSignal ? [abortSignal] : []),
    ]);
    const result = await push(query, tenant_id, opened, { allowHosts, signal });
    abortSignal?.throwIfAborted();
    if (result.state === "failed" && job.attempts >= job.max_attempts) result.state = "stopped";
    result.needs_person ||= job.attempts >= MIN_REPORTED_ATTEMPT;
    await query("select private.end_entry_push($1, $2, $3)", [
      tenant_id,
      batch_id,
      JSON.stringify(result),
    ]);
    if (result.error !== null) log.warn({ batch_id, reason: result.error }, "a push failed");
    if (result.state === "failed") throw new Error("The push is tried again.");
  };
}

async function push(
  query: Query,
  tenantId: string,
  { batch, ledger, connection }: OpenedPush,
  access: Access,
): Promise<Result> {
  try {
    const settings = withDefaultSettings(ledger);
    const format = settings.push?.format ?? "csv";
    const files = batch.sums.map(({ currency }) => ({ batch, ledger: settings, currency, format }));
    const entriesOf = (file: EntryFile) => pagesOf(query, tenantId, file, access.signal);
    requireFileCount(files, format);
    // Checks that the layout can hold every entry before the first file is written.
    for (const file of files) await requireWritable(file, entriesOf(file));
    const remote = await openConnection(query, tenantId, requireUsable(connection), access);
    const written: string[] = [];
    try {
      for (const file of files)
        for await (const { name, content } of partsIn(file, entriesOf(file))) {
          await remote.write(name, content, settings.push?.folder ?? null);
          written.push(name);
        }
    } finally {
      await remote.close();
    }
    return { state: "done", files: written, error: null, needs_person: false };
  } catch (error) {
    if (error instanceof ApiError)
      return { state: "stopped", files: [], error: error.message, needs_person: true };
    const failure = access.signal.aborted ? new RemoteError(TIMED_OUT) : error;
    if (!(failure instanceof RemoteError)) throw failure;
    const { message, needsPerson } = failure;
    return { state: "failed", files: [], error: message, needs_person: needsPerson };
  }
}

/** @throws ApiError for more files than a push can list */
function requireFileCount(files: EntryFile[], format: PushFormat): void {
  const count = files.reduce((total, file) => total + partsOf(file).parts, 0);
  if (count <= PUSHED_FILES_MAX) return;
  const [max, needed] = [PUSHED_FILES_MAX, count].map((number) => number.toLocaleString("en"));
  const { label, maxEntries } = FORMAT_FILES[format];
  throw new ApiError(
    "conflict",
    `${label} takes ${maxEntries} entries a file, so this batch needs ${needed} files, and at ` +
      `most ${max} are pushed. Choose another format in the entry rules.`,
  );
}

/** @throws ApiError for an entry that the layout can't hold */
async function requireWritable(file: EntryFile, pages: AsyncIterable<Entry[]>): Promise<void> {
  headerOf(file);
  for await (const entries of pages) rowsOf(entries, file);
}

/** @throws ApiError if the connection was deleted; RemoteError if it can't be written to now */
function requireUsable(connection: SealedConnection | null): SealedConnection {
  if (connection === null)
    throw new ApiError(
      "conflict",
      "The connection was deleted. Choose another in the entry rules.",
    );
  if (connection.status === "stopped")
    throw new RemoteError("The connection is stopped. Check its host key.", true);
  return connection;
}

/** The entries of a currency in their order, page by page. */
async function* pagesOf(
  query: Query,
  tenantId: string,
  { batch, currency }: EntryFile,
  signal: AbortSignal,
): AsyncGenerator<Entry[]> {
  for (let place = 0; ; ) {
    signal.throwIfAborted();
    const { rows } = await query<{ entries: Entry[] | null }>(
      "select private.entries_after($1, $2, $3, $4, $5) as entries",
      [tenantId, batch.id, currency, place, ENTRIES_PER_PAGE],
    );
    const entries = rows[0]?.entries ?? [];
    const last = entries.at(-1);
    if (last === undefined) return;
    yield entries;
    if (entries.length < ENTRIES_PER_PAGE) return;
    place = last.place;
  }
}

/** The files of a currency, one after another: several if the layout limits their entries. */
async function* partsIn(
  file: EntryFile,
  pages: AsyncIterable<Entry[]>,
): AsyncGenerator<{ name: string; content: Uint8Array }> {
  let chunks: Uint8Array[] = [];
  let current = 1;
  const currentFile = () => ({
    name: fileNameOf(file, current),
    content: Buffer.concat([headerOf(file), ...chunks]),
  });
  for await (const { part, entries } of splitIntoParts(pages, file.format)) {
    if (part !== current) {
      yield currentFile();
      chunks = [];
      current = part;
    }
    chunks.push(rowsOf(entries, file));
  }
  yield currentFile();
}
