import { setTimeout as sleep } from "node:timers/promises";
import { globMatches } from "#lib/connections/file-glob.ts";
import type { Remote, RemoteFile } from "#lib/connections/remote/remote.ts";
import { RemoteError } from "#lib/connections/remote/remote-error.ts";
import { fetchFile } from "./fetch-file.ts";
import type { FetchQueries, FetchSettings, Known, Outcome } from "./queries.ts";

const MARKER = ".done";
/** Names that servers and clients give to files that are still being written. */
const UNFINISHED = /\.(?:part|tmp|filepart)$/i;

/** Fetches the files that are new and ready, then moves or deletes those that are imported. */
export async function fetchFiles(
  queries: FetchQueries,
  settings: FetchSettings,
  remote: Remote,
  { byHand, signal }: { byHand: boolean; signal: AbortSignal },
): Promise<Outcome> {
  const candidates = candidatesOf(await remote.list(), settings);
  const known = await queries.knownFiles(candidates, byHand);
  const fresh = known.filter(({ state }) => state === "new").map(({ file }) => file);
  const failed = known.find(({ state }) => state === "failed");
  const outcome: Outcome = {
    found: 0,
    error: failed ? `${failed.file.path}: ${failed.error}` : null,
    needs_person: failed !== undefined,
  };
  for (const file of await stableFiles(fresh, settings, remote, signal)) {
    signal.throwIfAborted();
    await fetchFile(queries, settings, remote, file, outcome);
  }
  if (settings.afterwards !== "leave") {
    const now = await queries.knownFiles(candidates, false);
    const done = now.filter(({ state }) => state === "done");
    await moveOrDelete(queries, settings, remote, done);
  }
  return outcome;
}

function candidatesOf(listed: RemoteFile[], settings: FetchSettings): RemoteFile[] {
  const { kind, file_glob, waits_for_marker } = settings;
  if (kind === "https") return listed;
  const names = new Set(listed.map(({ path }) => path));
  const ageAndName = ({ modified_at, path }: RemoteFile) => `${modified_at} ${path}`;
  return listed
    .filter(
      ({ path }) =>
        globMatches(path, file_glob) &&
        !UNFINISHED.test(path) &&
        !path.endsWith(MARKER) &&
        (!waits_for_marker || names.has(path + MARKER)),
    )
    .sort((left, right) => (ageAndName(left) < ageAndName(right) ? -1 : 1));
}

/** The files whose size and time don't change for the connection's stable time. */
async function stableFiles(
  files: RemoteFile[],
  { stable_seconds, waits_for_marker }: FetchSettings,
  remote: Remote,
  signal: AbortSignal,
): Promise<RemoteFile[]> {
  if (files.length === 0 || stable_seconds === 0 || waits_for_marker) return files;
  await sleep(stable_seconds * 1000, undefined, { signal });
  const now = new Map((await remote.list()).map((file) => [file.path, file]));
  return files.filter(({ path, bytes, modified_at }) => {
    const file = now.get(path);
    return file?.bytes === bytes && file.modified_at === modified_at;
  });
}

async function moveOrDelete(
  queries: FetchQueries,
  { afterwards, move_to, waits_for_marker }: FetchSettings,
  remote: Remote,
  files: Known[],
): Promise<void> {
  for (const { file, file_id } of files) {
    const paths = waits_for_marker ? [file.path, file.path + MARKER] : [file.path];
    for (const path of paths) {
      if (afterwards === "delete") await remote.remove(path);
      else if (move_to !== null) await remote.move(path, move_to);
      else throw new RemoteError("The connection has no folder to move files to.", true);
    }
    if (file_id !== null) await queries.fileTaken(file_id);
  }
}
