import type { Connection } from "#lib/connections/contract.ts";
import { globMatches } from "#lib/connections/file-glob.ts";
import type { RemoteFile } from "#lib/connections/remote/remote.ts";

const MARKER = ".done";
/** Names that servers, clients and editors give to files that are still being written. */
const UNFINISHED =
  /^(?:\.|~\$)|(?:\.(?:part|partial|tmp|temp|filepart|crdownload|download|upload|uploading|inprogress|writing|lock|swp)|~)$/i;

export function markerOf(path: string): string {
  return path + MARKER;
}

/** The listed files that a connection imports once they are ready, oldest first. */
export function filesOf(
  listed: readonly RemoteFile[],
  { kind, file_glob }: Pick<Connection, "kind" | "file_glob">,
): RemoteFile[] {
  if (kind === "https") return [...listed];
  const ageAndName = ({ modified_at, path }: RemoteFile) => `${modified_at} ${path}`;
  return listed
    .filter(
      ({ path }) =>
        globMatches(path, file_glob) && !UNFINISHED.test(path) && !path.endsWith(MARKER),
    )
    .sort((left, right) => (ageAndName(left) < ageAndName(right) ? -1 : 1));
}

/** Whether a file's marker has arrived. */
export function isMarked({ path }: RemoteFile, listed: readonly RemoteFile[]): boolean {
  return listed.some((other) => other.path === markerOf(path));
}

/**
 * Whether a file's marker proves that it is complete. A marker older than its file may belong to an
 * earlier file of that name.
 */
export function isSettled(
  { path, modified_at }: RemoteFile,
  listed: readonly RemoteFile[],
): boolean {
  const marker = listed.find((other) => other.path === markerOf(path));
  return Boolean(marker?.modified_at && modified_at && marker.modified_at >= modified_at);
}
