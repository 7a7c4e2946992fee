import { memoryBytes } from "#lib/runtime/memory.ts";
import { ApiError } from "#lib/wire/errors.ts";

/** The share of the process's memory that one run may use: two large runs can run at a time. */
const SHARE_OF_MEMORY = 0.3;
/**
 * Peak memory of the engine per line without its texts, measured with a million lines a side;
 * includes candidates and matches.
 */
const LINE_BYTES = 400;
const GIGABYTE = 1e9;

/**
 * Refuses a run that would need more memory than it may use: the system would kill the process, and
 * every other run with it.
 * @param textBytes of the lines' texts read so far
 * @throws ApiError `conflict`, because a retry would need as much
 */
export function requireCapacity(
  lines: number,
  textBytes: number,
  maxBytes = SHARE_OF_MEMORY * memoryBytes(),
): void {
  const needed = lines * LINE_BYTES + textBytes;
  if (needed <= maxBytes) return;
  const gigabytes = (bytes: number) => (bytes / GIGABYTE).toFixed(1);
  throw new ApiError(
    "conflict",
    `This run would weigh ${lines.toLocaleString("en")} lines and needs at least ` +
      `${gigabytes(needed)} GB of memory; a run here may take ${gigabytes(maxBytes)} GB. Settle or ` +
      "exclude old open lines, close earlier periods, or give the matcher more " +
      "memory. Then run it again.",
  );
}
