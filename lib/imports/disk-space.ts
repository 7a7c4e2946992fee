import { statfs } from "node:fs/promises";
import { env } from "../runtime/env.ts";
import { ApiError } from "../wire/errors.ts";

/** Lines, their indexes and the database's log need about ten bytes for each byte of a file. */
const STORED_BYTES_PER_FILE_BYTE = 10;
/** The space that uploads leave free for other data. */
const RESERVED_BYTES = 512 * 1024 * 1024;

/** The size that the database may reach, if the operator has set one. */
export function databaseMaxBytes(): number | null {
  return env().DATABASE_MAX_BYTES || null;
}

/**
 * Checks that the disk has space for a file, before any of it is stored. `path`: the database's
 * disk, if it is on this machine.
 * @throws ApiError `unavailable`
 */
export async function requireDiskSpace(
  bytes: number,
  path: string | undefined = env().DATABASE_DISK,
): Promise<void> {
  if (path === undefined) return;
  const { bavail, bsize } = await statfs(path);
  if (bavail * bsize - RESERVED_BYTES >= bytes * STORED_BYTES_PER_FILE_BYTE) return;
  throw new ApiError(
    "unavailable",
    "There is not enough disk space for this file. Nothing was stored.",
    {
      headers: { "Retry-After": "600" },
    },
  );
}
