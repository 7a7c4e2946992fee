import { statfs } from "node:fs/promises";
import { env } from "../runtime/env.ts";
import { ApiError } from "../wire/errors.ts";

/**
 * A byte of a file takes about ten until it is lines, indexes and the log of both; what is left is
 * for everything else.
 */
const BYTES_FOR_A_BYTE = 10;
const LEFT_BYTES = 512 * 1024 * 1024;

/** What the database may grow to, where the operator says so. */
export function databaseMaxBytes(): number | null {
  return env().DATABASE_MAX_BYTES || null;
}

/**
 * Before a byte is kept. `path`: of the disk that the database lies on, where that is one of ours.
 * @throws ApiError `unavailable`
 */
export async function requireDisk(
  bytes: number,
  path: string | undefined = env().DATABASE_DISK,
): Promise<void> {
  if (path === undefined) return;
  const { bavail, bsize } = await statfs(path);
  if (bavail * bsize - LEFT_BYTES >= bytes * BYTES_FOR_A_BYTE) return;
  throw new ApiError(
    "unavailable",
    "There is not enough disk space for this file. Nothing of it was kept.",
    {
      headers: { "Retry-After": "600" },
    },
  );
}
