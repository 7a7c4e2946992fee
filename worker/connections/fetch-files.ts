import { setTimeout as sleep } from "node:timers/promises";
import type { Remote, RemoteFile } from "#lib/connections/remote/remote.ts";
import { RemoteError } from "#lib/connections/remote/remote-error.ts";
import { fetchFile } from "./fetch-file.ts";
import type { FetchQueries, FetchSettings, KnownFile, Outcome } from "./queries.ts";
import { filesOf, isMarked, isSettled, markerOf } from "./ready-files.ts";

/** Fetches the files that are new and ready, then moves or deletes those that are imported. */
export async function fetchFiles(
  queries: FetchQueries,
  settings: FetchSettings,
  remote: Remote,
  { byHand, signal }: { byHand: boolean; signal: AbortSignal },
): Promise<Outcome> {
  const listed = await remote.list();
  const ready = filesOf(listed, settings).filter(
    (file) => !settings.waits_for_marker || isMarked(file, listed),
  );
  const known = await queries.knownFiles(ready, byHand);
  const newFiles = known.filter(({ state }) => state === "new").map(({ file }) => file);
  const failed = known.find(({ state }) => state === "failed");
  const outcome: Outcome = {
    found: 0,
    error: failed ? `${failed.file.path}: ${failed.error}` : null,
    needs_person: failed !== undefined,
  };
  for (const file of await stableFiles(newFiles, listed, settings, remote, signal)) {
    signal.throwIfAborted();
    await withoutBlocking(remote, outcome, file, () =>
      fetchFile(queries, settings, remote, file, outcome),
    );
  }
  if (settings.afterwards !== "leave")
    await moveOrDeleteImported(queries, settings, remote, outcome, signal);
  return outcome;
}

/**
 * Runs `work` for one file. A file that the server refuses is reported and doesn't block the
 * others, as long as the server itself responds.
 */
async function withoutBlocking(
  remote: Remote,
  outcome: Outcome,
  { path }: RemoteFile,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    await remote.list().catch(() => {
      throw error;
    });
    outcome.error ??= `${path}: ${error.message}`;
    outcome.needs_person ||= error.needsPerson;
  }
}

/**
 * The files whose marker proves that they are complete, and those whose size and time don't change
 * for the connection's stable time.
 */
async function stableFiles(
  files: RemoteFile[],
  listed: RemoteFile[],
  { stable_seconds, waits_for_marker }: FetchSettings,
  remote: Remote,
  signal: AbortSignal,
): Promise<RemoteFile[]> {
  const isComplete = (file: RemoteFile) => waits_for_marker && isSettled(file, listed);
  if (stable_seconds === 0 || files.every(isComplete)) return files;
  await sleep(stable_seconds * 1000, undefined, { signal });
  const now = new Map((await remote.list()).map((file) => [file.path, file]));
  return files.filter((file) => {
    const later = now.get(file.path);
    const isStable = later?.bytes === file.bytes && later.modified_at === file.modified_at;
    return isComplete(file) || isStable;
  });
}

/**
 * Moves or deletes imported files. Lists the files again, because a file that was replaced after
 * its import is another file. A file's marker is handled before the file, so that it isn't left for
 * the next file of that name.
 */
async function moveOrDeleteImported(
  queries: FetchQueries,
  settings: FetchSettings,
  remote: Remote,
  outcome: Outcome,
  signal: AbortSignal,
): Promise<void> {
  const listed = await remote.list();
  const known = await queries.knownFiles(filesOf(listed, settings), false);
  for (const { file, file_id } of known.filter(isDone)) {
    signal.throwIfAborted();
    await withoutBlocking(remote, outcome, file, async () => {
      if (settings.waits_for_marker && isMarked(file, listed))
        await moveOrDelete(markerOf(file.path), settings, remote);
      await moveOrDelete(file.path, settings, remote);
      if (file_id !== null) await queries.recordRemoval(file_id);
    });
  }
}

function isDone({ state }: KnownFile): boolean {
  return state === "done";
}

async function moveOrDelete(
  path: string,
  { afterwards, move_to }: FetchSettings,
  remote: Remote,
): Promise<void> {
  if (afterwards === "delete") await remote.remove(path);
  else if (move_to !== null) await remote.move(path, move_to);
  else throw new RemoteError("The connection has no folder to move files to.", true);
}
