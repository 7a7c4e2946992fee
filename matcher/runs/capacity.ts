import { memoryBytes } from "#lib/runtime/memory.ts";
import { ApiError } from "#lib/wire/errors.ts";

/** Of the memory that this process may have, what one run may take: two large ones go on at a time. */
const SHARE = 0.3;
/** What the engine holds of a line at its highest, apart from its texts: measured with a million lines a side, candidates and matches among it. */
const LINE_BYTES = 400;
const GIGABYTE = 1e9;

/**
 * Refuses a run before it takes more memory than there is for it, as the system would end the process, and every other run with it.
 * @param textBytes of the lines' texts, as far as they were read
 * @throws ApiError `conflict`: another try would need as much
 */
export function requireCapacity(lines: number, textBytes: number, most = SHARE * memoryBytes()): void {
  const needed = lines * LINE_BYTES + textBytes;
  if (needed <= most) return;
  const gigabytes = (bytes: number) => (bytes / GIGABYTE).toFixed(1);
  throw new ApiError(
    "conflict",
    `This run would weigh ${lines.toLocaleString("en")} lines and needs at least ${gigabytes(needed)} GB of memory; a run here may take ${gigabytes(most)} GB. ` +
      "Settle or exclude lines that are open for long, close earlier periods, or give the matcher more memory. Then run it again.",
  );
}
