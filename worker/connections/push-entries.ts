import type { JobHelpers, Task } from "graphile-worker";
import { z } from "zod";
import { RemoteError } from "#lib/connections/remote/remote-error.ts";
import type { Entry, EntryBatch } from "#lib/entries/contract.ts";
import type { LedgerFile, LedgerWriter } from "#lib/entries/files/ledger-writer.ts";
import { encoded, fileNameOf, partsOf, rowsOf, WRITERS } from "#lib/entries/files/writers.ts";
import type { LedgerSettings } from "#lib/entries/rules/contract.ts";
import { completeLedger } from "#lib/entries/rules/stored.ts";
import { log } from "#lib/runtime/log.ts";
import { ApiError } from "#lib/wire/errors.ts";
import { openConnection, type SealedConnection } from "./open-connection.ts";

const PUSH_MAX_MS = 15 * 60_000;
const ENTRIES_PER_PAGE = 1000;

type Query = JobHelpers["query"];
type Opened = {
  batch: EntryBatch;
  ledger: Partial<LedgerSettings>;
  connection: SealedConnection | null;
};
type Result = { files: string[]; error: string | null; needs_person: boolean };

const payload = z.object({ tenant_id: z.string(), batch_id: z.string() });

/**
 * Writes a batch to the server of the connection that its entry rules name. A push that fails is
 * shown with the batch and the connection, and tried again. The names of the files don't change, so
 * a file that was written before is written over.
 */
export function pushEntryBatch(allowHosts: ReadonlySet<string>): Task {
  return async (job, { query, abortSignal }) => {
    const { tenant_id, batch_id } = payload.parse(job);
    const { rows } = await query<{ opened: Opened | null }>(
      "select private.begin_entry_push($1, $2) as opened",
      [tenant_id, batch_id],
    );
    const opened = rows[0]?.opened;
    if (!opened) return;
    const signal = AbortSignal.any([
      AbortSignal.timeout(PUSH_MAX_MS),
      ...(abortSignal ? [abortSignal] : []),
    ]);
    const result = await push(query, tenant_id, opened, { allowHosts, signal });
    abortSignal?.throwIfAborted();
    await query("select private.end_entry_push($1, $2, $3)", [
      tenant_id,
      batch_id,
      JSON.stringify(result),
    ]);
    if (result.error === null) return;
    log.warn({ batch_id, reason: result.error }, "a batch was not pushed");
    throw new Error("The push is tried again.");
  };
}

async function push(
  query: Query,
  tenantId: string,
  { batch, ledger, connection }: Opened,
  { allowHosts, signal }: { allowHosts: ReadonlySet<string>; signal: AbortSignal },
): Promise<Result> {
  try {
    const files = filesOf(query, tenantId, batch, completeLedger(ledger));
    // Whether the layout can hold every entry shows before the first file is written.
    for (const file of files) await file.content();
    const remote = await openConnection(tenantId, usable(connection), {
      allowHosts,
      signal,
      acceptsHostKey: async (shown) => {
        const { rows } = await query<{ is_accepted: boolean }>(
          "select private.accepts_host_key($1, $2, $3) as is_accepted",
          [tenantId, connection?.id, shown],
        );
        return rows[0]?.is_accepted === true;
      },
    });
    try {
      for (const { name, content } of files)
        await remote.write(name, await content(), ledger.push?.folder ?? null);
    } finally {
      await remote.close();
    }
    return { files: files.map(({ name }) => name), error: null, needs_person: false };
  } catch (error) {
    if (!(error instanceof RemoteError || error instanceof ApiError)) throw error;
    const needsPerson = error instanceof ApiError || error.needsPerson;
    return { files: [], error: error.message, needs_person: needsPerson };
  }
}

/** @throws RemoteError for a connection that nothing can be written to */
function usable(connection: SealedConnection | null): SealedConnection {
  if (connection === null)
    throw new RemoteError("The connection was deleted. Choose another in the entry rules.", true);
  if (connection.status === "stopped")
    throw new RemoteError("The connection is stopped. Check its host key.", true);
  return connection;
}

type PushedFile = { name: string; content: () => Promise<Uint8Array> };

/** The files of a batch: one per currency, or several if the layout limits their entries. */
function filesOf(
  query: Query,
  tenantId: string,
  batch: EntryBatch,
  ledger: LedgerSettings,
): PushedFile[] {
  const writer = WRITERS[ledger.push?.format ?? "csv"];
  return batch.sums.flatMap(({ currency }) => {
    const file = { batch, ledger, currency };
    const { parts } = partsOf(file, writer);
    return Array.from({ length: parts }, (_, at) => ({
      name: fileNameOf(writer, file, parts === 1 ? undefined : at + 1),
      content: () => contentOf(query, tenantId, file, writer, at),
    }));
  });
}

async function contentOf(
  query: Query,
  tenantId: string,
  file: LedgerFile,
  writer: LedgerWriter,
  part: number,
): Promise<Uint8Array> {
  const chunks = [encoded(writer, writer.header(file))];
  let [skip, left, place] = [part * writer.maxEntries, writer.maxEntries, 0];
  while (left > 0) {
    const { rows } = await query<{ entries: Entry[] }>(
      "select private.entries_to_push($1, $2, $3, $4, $5) as entries",
      [tenantId, file.batch.id, file.currency, place, ENTRIES_PER_PAGE],
    );
    const entries = rows[0]?.entries ?? [];
    const own = entries.slice(skip, skip + left);
    chunks.push(encoded(writer, rowsOf(own, writer, file)));
    skip = Math.max(0, skip - entries.length);
    left -= own.length;
    place = entries.at(-1)?.place ?? 0;
    if (entries.length < ENTRIES_PER_PAGE) break;
  }
  return Buffer.concat(chunks);
}
