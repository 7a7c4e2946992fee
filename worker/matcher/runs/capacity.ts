import { memoryBytes } from "#lib/runtime/memory.ts";
import { ApiError } from "#lib/wire/errors.ts";

/**
 * The maximum share of the process's memory that one run may use, because two large runs may run at
 * a time.
 */
const MAX_MEMORY_SHARE = 0.3;
/**
 * Peak memory of the engine per line without its texts, measured with a million lines a side;
 * includes candidates and matches.
 */
const BYTES_PER_LINE = 400;
const GIGABYTE = 1e9;

/**
 * Refuses a run that would need more memory than it may use: the system would kill the process, and
 * every other run with it.
 * @param textBytes the size of the lines' texts that were read so far
 * @throws ApiError `conflict`, because a retry would need as much memory
 */
export function requireCapacity(
  lines: number,
  textBytes: number,
  maxBytes = MAX_MEMORY_SHARE * memoryBytes(),
): void {
  const needed = lines * BYTES_PER_LINE + textBytes;
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
