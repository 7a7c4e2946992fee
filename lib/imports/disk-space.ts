import { statfs } from "node:fs/promises";
import { env } from "../runtime/env.ts";
import { ApiError } from "../wire/errors.ts";

/**
 * Each byte of a file needs about ten as lines, indexes and their log; the rest is for other data.
 */
const BYTES_FOR_A_BYTE = 10;
const LEFT_BYTES = 512 * 1024 * 1024;

/** The size that the database may reach, if the operator has set one. */
export function databaseMaxBytes(): number | null {
  return env().DATABASE_MAX_BYTES || null;
}

/**
 * Checked before a byte is stored. `path`: the database's disk, if it is on this machine.
 * @throws ApiError `unavailable`
 */
export async function requireDiskSpace(
  bytes: number,
  path: string | undefined = env().DATABASE_DISK,
): Promise<void> {
  if (path === undefined) return;
  const { bavail, bsize } = await statfs(path);
  if (bavail * bsize - LEFT_BYTES >= bytes * BYTES_FOR_A_BYTE) return;
  throw new ApiError(
    "unavailable",
    "There is not enough disk space for this file. Nothing was stored.",
    {
      headers: { "Retry-After": "600" },
    },
  );
}
